# drive(Machine(), ['TRATS', 'EROM', 'pots'])
import cmd

class Machine:
    def __init__(self):
        self.level = 0

    def on_start(self, n):
        self.level = n

    def on_more(self, n):
        self.level += self.__hidden(n)

    def __hidden(self, n):
        return n * 10

    def on_stop(self, n):
        return getattr(self, 'finish' if n else 'abort')()

    def finish(self): return ('done', self.level)

    def abort(self): return 'aborted'

    def on_error(self, n): raise ValueError(n)

class Vault:
    def __combination(self): return 42

    @staticmethod
    def __guard(): return 'guard'

    def door(self): return 'door'

class Tool(cmd.Cmd):
    def precmd(self, line): return line.strip()

    def do_greet(self, rest): return 'hello ' + rest

    def default(self, line): return '?' + line

    def emptyline(self): return 'nothing'

    def help_greet(self): return 'help'

def unused_parser(text):
    pairs = [part.split('=') for part in text.split('&')]
    return dict(pairs)

class Queue:
    def put(self, item): self.item = item
    def take(self): return self.item

def drive(machine, words, tool=Tool()):
    for word in words:
        result = getattr(machine, 'on_' + word[::-1].lower())(len(word))
    vault = Vault()
    secret = vault._Vault__combination(), getattr(vault, '_' + 'Vault__' + 'draug'[::-1])()
    said = [tool.onecmd(tool.precmd(line)) for line in (' greet bob', 'what', '')]
    return result, secret, said
