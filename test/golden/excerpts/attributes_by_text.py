# main([3, 8])
import operator
import string

class Owner:
    def __init__(self, name): self._name = name
    @property
    def name(self): return self._name.title()
    def call(self): return self._name + '!'

class Dog:
    legs = 4

    def __init__(self, age): self.age = age

    @property
    def mood(self): return 'happy' if self.age < 5 else 'calm'

    @property
    def owner(self): return Owner('ann' * (self.age % 2 + 1))

    def bark(self, times): return -self.age * times

    def wag(self): return 'wag'

    def __getitem__(self, key): return getattr(self, key)
    def __repr__(self): return 'Dog%d' % self.age
    def __str__(self): return self.mood

class Proxy:
    def __init__(self, target): self.target = target
    def __getitem__(self, key): return operator.attrgetter(key)(self.target)

class Word(string.Template):
    delimiter = '%'
    idpattern = '[a-z.]+'

def parts(*names): return '.'.join(a + b for a, b in names)

OWNER = operator.attrgetter(parts(('ow', 'ner'), ('na', 'me')))
TIMES = operator.methodcaller(parts(('ba', 'rk')), 2)
TEXT = '{0.mo' + 'od} {0[le' + 'gs]} {dog!s:>6}'
SWAP = str.maketrans('xyz', 'wag')

class Cat:
    lives = 9
    def purr(self): return 'rrr'
    def meow(self): return self.purr().upper()

def unused_ages(animals):
    for animal in animals:
        yield animal.age

def main(ages):
    dogs = [Dog(age) for age in ages]
    dog = max(dogs, key=TIMES)
    text = TEXT.format(dogs[0], **locals())
    word = Word('%owner.name %mo' + 'od').safe_substitute(Proxy(dog))
    said = '%(mood)s' % Proxy(dog), getattr(dog, 'xyz'.translate(SWAP))(), f'{dog=} {dog!s}'
    fields = {key: value for key, value in vars(dog).items()}
    return sorted(map(OWNER, dogs)), text, word, said, fields
