# main('f(a, g(b), lambda c: d)')
import ast
import json
from html.parser import HTMLParser
from configparser import ConfigParser

class Names(ast.NodeVisitor):
    def __init__(self): self.seen = []

    def visit_Name(self, node): self.seen.append(node.id)

    def visit_Call(self, node):
        self.seen.append('()')
        self.generic_visit(node)

    def visit_Lambda(self, node): pass

class Fold(ast.NodeTransformer):
    def visit_Constant(self, node): return ast.copy_location(ast.Constant(node.value + 1), node)

class Encoder(json.JSONEncoder):
    def default(self, o):
        return sorted(o) if isinstance(o, set) else super().default(o)

class Tags(HTMLParser):
    def reset(self):
        super().reset()
        self.out = []

    def handle_starttag(self, tag, attrs): self.out.append(tag)

    def handle_data(self, data): self.out.append(data.strip())

    def handle_endtag(self, tag): self.out.append('/' + tag)

class Config(ConfigParser):
    def optionxform(self, optionstr): return optionstr.upper()

class Parser:
    def parse(self, text): return text.split()
    def reset_all(self): self.tokens = []

def unused_minify(text):
    lines = (line.strip() for line in text.splitlines())
    return ' '.join(lines)

def main(source):
    tree = ast.parse(source, mode='eval')
    names = Names()
    names.visit(tree)
    value = ast.literal_eval(Fold().visit(ast.parse('[1, 2]', mode='eval')))
    text = json.dumps({'a': {2, 1}}, cls=Encoder)
    tags = Tags()
    tags.feed('<b>hi</b>')
    config = Config()
    config.read_string('[s]\nport = 1')
    return names.seen, value, text, tags.out, list(config['s'])
