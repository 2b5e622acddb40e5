"""Ordinary English words used as string contents."""

WORDS = tuple(
    """
    apple river stone cloud green table music light paper tiger lemon horse bread ocean queen pilot robot sugar train
    zebra amber bison candy delta eagle flame grape house image joker kite lunar maple noble olive piano quilt rapid
    salad torch ultra vivid wheat xenon yacht angel brave crane dance earth frost giant happy ivory jelly knock lucky
    magic night onion pearl quiet radio shore thumb uncle voice water youth alpha blue cat dog egg fox gold hat ink jam
    key log map net oak pen rat sun tea urn van wax yes zoo red one two six ten red level noon radar civic kayak refer
    anna banana pepper letter coffee kitten rabbit yellow tomato cheese bottle garden window silver winter summer spring
    autumn monday friday python java rust code data file test user admin guest error debug info start stop open close
    left right north south east west up down big small hot cold new old good bad fast slow long short first last next
    hello world foo bar baz spam eggs lorem ipsum dolor amet the and for with from into over under about after before
    a an it is of to in on by we he me my so no do go
    """.split()
)
