# Debug: evaluate('2 * (3 + 4) - 5')
# A parser by recursive descent: one method for each level of precedence.


class Parser:
    def __init__(self, text):
        self.tokens = text.replace('(', ' ( ').replace(')', ' ) ').split()
        self.position = 0

    def peek(self):
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self):
        token = self.peek()
        self.position += 1
        return token

    def atom(self):
        token = self.take()
        if token != '(':
            return int(token)
        value = self.sum()
        self.take()
        return value

    def product(self):
        value = self.atom()
        while self.peek() == '*':
            self.take()
            value *= self.atom()
        return value

    def sum(self):
        value = self.product()
        while self.peek() in ('+', '-'):
            sign = 1 if self.take() == '+' else -1
            value += sign * self.product()
        return value


def evaluate(text):
    return Parser(text).sum()
