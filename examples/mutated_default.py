# Debug: two_shoppers()
# The second basket begins with the first shopper's apples. Watch `basket` at the call.


def add(item, count=1, basket={}):
    """Put something in a basket; a new one if none is given."""
    basket[item] = basket.get(item, 0) + count
    return basket


def two_shoppers():
    first = add('apple', 3)
    first = add('bread', basket=first)
    second = add('pear')
    return len(first), len(second)
