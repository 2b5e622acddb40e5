/** Programs as they are written every day: whatever is told of their steps is as CPython has it. Each is followed by its call. */
export const ordinaryPrograms: readonly (readonly [name: string, call: string, source: string])[] = [
  [
    'log lines',
    `summarize_log(["INFO 10:01 boot ok", "WARN 10:02 disk 91%", "ERROR 10:05 db timeout", "garbage", "ERROR 10:09 db refused"])`,
    `
LEVELS = ("DEBUG", "INFO", "WARN", "ERROR")


def parse_line(line):
    parts = line.split(" ", 2)
    if len(parts) < 3 or parts[0] not in LEVELS:
        return None
    level, stamp, message = parts
    hour, minute = stamp.split(":")
    return {"level": level, "at": int(hour) * 60 + int(minute), "msg": message}


def summarize_log(lines):
    counts = {}
    skipped = 0
    last_error = None
    for line in lines:
        entry = parse_line(line)
        if entry is None:
            skipped += 1
            continue
        level = entry["level"]
        counts[level] = counts.get(level, 0) + 1
        if level == "ERROR":
            last_error = entry["msg"]
    return {"counts": counts, "skipped": skipped, "last_error": last_error}
`,
  ],
  [
    'a query string',
    `parse_query("?q=red+shoes&size=42&tag=sale&tag=new&page=%32&empty=")`,
    `
from string import hexdigits


def unquote(s):
    s = s.replace("+", " ")
    pieces = s.split("%")
    out = pieces[0]
    for piece in pieces[1:]:
        code, rest = piece[:2], piece[2:]
        if len(code) == 2 and all(c in hexdigits for c in code):
            out += chr(int(code, 16)) + rest
        else:
            out += "%" + piece
    return out


def parse_query(query):
    params = {}
    for pair in query.lstrip("?").split("&"):
        name, _, value = pair.partition("=")
        name, value = unquote(name), unquote(value)
        params.setdefault(name, []).append(value)
    return {k: v[0] if len(v) == 1 else v for k, v in params.items()}
`,
  ],
  [
    'a bill that is shared',
    `split_bill(100.0, ["ann", "bob", "cy"], tip_pct=15)`,
    `
def to_cents(amount):
    return int(round(amount * 100))


def fmt(cents):
    return f"{cents // 100}.{cents % 100:02d}"


def split_bill(amount, people, tip_pct=10):
    total = to_cents(amount)
    tip = total * tip_pct // 100
    total += tip
    share, leftover = divmod(total, len(people))
    shares = {}
    for i, person in enumerate(people):
        extra = 1 if i < leftover else 0
        shares[person] = share + extra
    check = sum(shares.values())
    assert check == total, f"{check} != {total}"
    report = [f"{name}={fmt(cents)}" for name, cents in shares.items()]
    return ", ".join(report)
`,
  ],
  [
    'a bank account',
    `run_account([("deposit", 100), ("withdraw", 30), ("withdraw", 500), ("deposit", -5), ("fee", 2)])`,
    `
class BankAccount:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
        self.history = []

    @property
    def balance(self):
        return self._balance

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("deposit must be positive")
        self._balance += amount
        self.history.append(amount)

    def withdraw(self, amount):
        if amount > self._balance:
            raise ValueError("insufficient funds")
        self._balance -= amount
        self.history.append(-amount)

    def __repr__(self):
        return f"<{self.owner}: {self._balance}>"


def run_account(ops):
    account = BankAccount("dana")
    errors = []
    for op, amount in ops:
        method = getattr(account, op, None)
        if method is None:
            errors.append(f"no op {op}")
            continue
        try:
            method(amount)
        except ValueError as exc:
            errors.append(str(exc))
    return account.balance, account.history, errors
`,
  ],
  [
    'a turnstile',
    `drive(["coin", "push", "push", "coin", "coin", "kick", "push"])`,
    `
class Turnstile:
    TRANSITIONS = {
        ("locked", "coin"): "unlocked",
        ("locked", "push"): "locked",
        ("unlocked", "push"): "locked",
        ("unlocked", "coin"): "unlocked",
    }

    def __init__(self, state="locked"):
        self.state = state
        self.coins = 0
        self.passed = 0

    def fire(self, event):
        key = (self.state, event)
        if key not in self.TRANSITIONS:
            return False
        previous, self.state = self.state, self.TRANSITIONS[key]
        if event == "coin":
            self.coins += 1
        elif previous == "unlocked":
            self.passed += 1
        return True

    def __repr__(self):
        return f"Turnstile({self.state!r}, coins={self.coins}, passed={self.passed})"


def drive(events):
    gate = Turnstile()
    ignored = [e for e in events if not gate.fire(e)]
    return repr(gate), ignored
`,
  ],
  [
    'a queue in a ring',
    `simulate([("put", 1), ("put", 2), ("get", None), ("put", 3), ("put", 4), ("put", 5), ("get", None)])`,
    `
class RingQueue:
    """Fixed-size FIFO backed by a list."""

    def __init__(self, size):
        self.slots = [None] * size
        self.head = 0
        self.count = 0

    def __len__(self):
        return self.count

    def put(self, item):
        if self.count == len(self.slots):
            raise OverflowError("queue full")
        tail = self.head + self.count
        self.slots[tail] = item
        self.count += 1

    def get(self):
        if not self.count:
            raise LookupError("queue empty")
        item = self.slots[self.head]
        self.slots[self.head] = None
        self.head = (self.head + 1) % len(self.slots)
        self.count -= 1
        return item

    def __repr__(self):
        return f"RingQueue({self.slots})"


def simulate(ops):
    queue = RingQueue(3)
    out = []
    for op, arg in ops:
        try:
            out.append(queue.put(arg) if op == "put" else queue.get())
        except (OverflowError, LookupError) as err:
            out.append(str(err))
    return out, len(queue)
`,
  ],
  [
    'a template',
    `fill("Hi {name}, you owe {amount:money} by {due|upper}. {missing}", name="Sam", amount=12.5, due="friday")`,
    `
FILTERS = {"upper": str.upper, "title": str.title}


def expand(token, values):
    name, _, spec = token.partition(":")
    name, _, filter_name = name.partition("|")
    if name not in values:
        return "{" + token + "}"
    value = values[name]
    if spec == "money":
        return f"\${value:.2f}"
    text = format(value, spec)
    return FILTERS[filter_name](text) if filter_name else text


def fill(template, **values):
    result = []
    rest = template
    while (start := rest.find("{")) != -1:
        end = rest.index("}", start)
        result.append(rest[:start])
        result.append(expand(rest[start + 1:end], values))
        rest = rest[end + 1:]
    result.append(rest)
    return "".join(result)
`,
  ],
  [
    'a chart',
    `bar_chart({"mon": 4, "tue": 10, "wed": 0, "thu": 7}, 20)`,
    `
def scale(value, top, width):
    if top == 0:
        return 0
    return int(value / top * width)


def bar_chart(data, width=10, *, mark="#"):
    top = max(data.values())
    label_width = max(map(len, data)) + 1
    lines = []
    for label, value in sorted(data.items(), key=lambda kv: -kv[1]):
        bar = mark * scale(value, top, width)
        if not bar:
            bar = "(none)"
        lines.append(f"{label:<{label_width}}{bar} {value}")
    total = sum(data.values())
    lines.append("=" * label_width + f"total {total}")
    return lines
`,
  ],
  [
    'validation with exceptions of its own',
    `register({"name": "Zoe", "age": "17", "email": "zoe.example.com"})`,
    `
class ValidationError(Exception):
    def __init__(self, field, reason):
        super().__init__(f"{field}: {reason}")
        self.field = field


def check_name(value):
    if not value.strip():
        raise ValidationError("name", "empty")
    return value.strip()


def check_age(value):
    try:
        age = int(value)
    except ValueError as exc:
        raise ValidationError("age", "not a number") from exc
    if age < 18:
        raise ValidationError("age", f"{age} is too young")
    return age


def check_email(value):
    user, at, domain = value.partition("@")
    if not (user and at and "." in domain):
        raise ValidationError("email", "malformed")
    return value.lower()


def register(form):
    clean, errors = {}, {}
    for field, checker in [("name", check_name), ("age", check_age), ("email", check_email)]:
        try:
            clean[field] = checker(form[field])
        except KeyError:
            errors[field] = "required"
        except ValidationError as exc:
            errors[exc.field] = str(exc)
    return clean, errors
`,
  ],
  [
    'transfers that are taken back',
    `transfer_all({"a": 50, "b": 20}, [("a", "b", 30), ("b", "c", 10), ("a", "b", 40)])`,
    `
class TransferError(Exception):
    pass


class InsufficientFunds(TransferError):
    def __init__(self, name, short):
        self.name, self.short = name, short
        super().__init__(f"{name} is short by {short}")


def transfer(accounts, src, dst, amount):
    backup = accounts
    try:
        accounts[src] -= amount
        if accounts[src] < 0:
            raise InsufficientFunds(src, -accounts[src])
        accounts[dst] += amount
    except KeyError as exc:
        accounts.update(backup)
        raise TransferError(f"no account {exc}") from exc
    except InsufficientFunds:
        accounts.update(backup)
        raise


def transfer_all(accounts, moves):
    failures = []
    before = sum(accounts.values())
    for src, dst, amount in moves:
        try:
            transfer(accounts, src, dst, amount)
        except TransferError as exc:
            failures.append(str(exc))
    after = sum(accounts.values())
    return accounts, before == after, failures
`,
  ],
  [
    'passwords',
    `check_password("hunter2")`,
    `
class WeakPassword(ValueError):
    def __init__(self, problems):
        self.problems = problems
        super().__init__("; ".join(problems))


def validate(password, minimum=8):
    problems = []
    if len(password) < minimum:
        problems.append("too short")
    if not any(c.isdigit() for c in password):
        problems.append("needs a digit")
    if password.lower() == password:
        problems.append("needs uppercase")
    if problems:
        raise WeakPassword(problems)
    return len(password)


def check_password(password, attempts=3):
    """Try to fix the password automatically before giving up."""
    for attempt in range(1, attempts + 1):
        try:
            score = validate(password)
        except WeakPassword as err:
            match err.problems:
                case ["too short", *_]:
                    password += "!!"
                case ["needs a digit", *_]:
                    password += "1"
                case _:
                    password = password.capitalize()
        else:
            return password, attempt, score
    raise WeakPassword(["gave up"])
`,
  ],
  [
    'rows with errors',
    `import_rows([{"id": "1", "price": "9.5"}, {"id": "2", "price": ""}, {"id": "x", "price": "3"}, {"id": "4"}])`,
    `
class RowError(Exception):
    def __init__(self, index, cause):
        self.index = index
        self.cause = cause

    def __str__(self):
        return f"row {self.index}: {type(self.cause).__name__}"


def parse_row(index, row):
    try:
        return int(row["id"]), float(row["price"] or 0)
    except (KeyError, ValueError) as exc:
        raise RowError(index, exc) from exc


def import_rows(rows, max_errors=2):
    loaded, errors = {}, []
    for index, row in enumerate(rows):
        try:
            key, price = parse_row(index, row)
        except RowError as err:
            errors.append(err)
            if len(errors) > max_errors:
                raise
            continue
        loaded[key] = price
    summary = ", ".join(map(str, errors)) or "clean"
    cause = errors[-1].__cause__ if errors else None
    return loaded, summary, repr(cause)
`,
  ],
  [
    'the last few samples',
    `smooth([4, 8, 15, 16, 23, 42], window=3)`,
    `
from collections import deque


def smooth(samples, window=2):
    recent = deque(maxlen=window)
    averages = []
    peak = None
    for sample in samples:
        recent.append(sample)
        if len(recent) < window:
            continue
        mean = sum(recent) / len(recent)
        averages.append(round(mean, 2))
        if peak is None or mean > peak:
            peak = mean
    recent.rotate(1)
    return averages, list(recent), f"{peak:.1f}"
`,
  ],
  [
    'slots of a day',
    `schedule("09:45", [25, 50, 90, 600])`,
    `
def parse_clock(text):
    hours, minutes = map(int, text.split(":"))
    if not (0 <= hours < 24 and 0 <= minutes < 60):
        raise ValueError(f"bad time {text!r}")
    return hours * 60 + minutes


def clock(total):
    hours, minutes = divmod(total, 60)
    suffix = "am" if hours < 12 else "pm"
    return f"{hours % 12 or 12}:{minutes:02d}{suffix}"


def schedule(start, durations, gap=10):
    now = parse_clock(start)
    slots = []
    for i, length in enumerate(durations, 1):
        end = now + length
        slots.append(f"#{i} {clock(now)}-{clock(end)}")
        now = end + gap
    busy = sum(durations)
    hours = round(busy / 60, 2)
    return slots, hours
`,
  ],
  [
    'a stack machine',
    `evaluate("3 4 + 2 * 10 swap -")`,
    `
import operator

BINARY = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class StackUnderflow(Exception):
    pass


def pop(stack, count=1):
    if len(stack) < count:
        raise StackUnderflow(f"need {count}, have {len(stack)}")
    taken = stack[-count:]
    del stack[-count:]
    return taken


def evaluate(program):
    stack = []
    for word in program.split():
        match word:
            case "+" | "-" | "*":
                a, b = pop(stack, 2)
                stack.append(BINARY[word](a, b))
            case "dup":
                (top,) = pop(stack)
                stack += [top, top]
            case "swap":
                stack.extend(reversed(pop(stack, 2)))
            case _ if word.lstrip("-").isdigit():
                stack.append(int(word))
            case _:
                raise ValueError(f"unknown word {word}")
    return stack
`,
  ],
  [
    'retries',
    `fetch_all(["ok", "flaky", "down"])`,
    `
class Unavailable(Exception):
    pass


class FakeService:
    def __init__(self, failures):
        self.failures = dict(failures)
        self.calls = 0

    def get(self, name):
        self.calls += 1
        if self.failures.get(name, 0) > 0:
            self.failures[name] -= 1
            raise Unavailable(name)
        return f"<{name}>"

    def __repr__(self):
        return f"FakeService(calls={self.calls})"


def with_retry(func, *args, retries=3, delay=1):
    waited = 0
    for attempt in range(retries):
        try:
            return func(*args), waited
        except Unavailable:
            waited += delay
            delay *= 2
    raise


def fetch_all(names):
    service = FakeService({"flaky": 2, "down": 9})
    results = {}
    for name in names:
        body, waited = with_retry(service.get, name)
        results[name] = (body, waited)
    return results, service.calls
`,
  ],
  [
    'configurations that are merged',
    `resolve({"db": {"host": "prod", "pool": {"max": 20}}}, {"debug": True})`,
    `
DEFAULTS = {
    "debug": False,
    "db": {"host": "localhost", "port": 5432, "pool": {"max": 5}},
}


def deep_merge(base, extra):
    merged = base.copy()
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = deep_merge(merged[key], value)
        else:
            merged[key] = value
    return merged


def flatten(config, prefix=""):
    for key, value in config.items():
        path = f"{prefix}.{key}" if prefix else key
        if isinstance(value, dict):
            yield from flatten(value, path)
        else:
            yield path, value


def resolve(*layers):
    config = DEFAULTS
    for layer in layers:
        config = deep_merge(config, layer)
    changed = []
    original = dict(flatten(DEFAULTS))
    for path, value in flatten(config):
        if original.get(path) != value:
            changed.append(f"{path}={value}")
    return changed, len(original)
`,
  ],
  [
    'objects in the making',
    `make([0, 250, -70])`,
    `
from functools import total_ordering
from math import gcd


class Shape:
    sides = 0

    def __init__(self, name):
        self.name = name
        self.tags = []

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r}, sides={self.sides})"


class Square(Shape):
    def __init__(self, name, size):
        self.size = size
        super().__init__(name)
        self.sides = 4


@total_ordering
class Ratio:
    def __init__(self, num, den):
        if den == 0:
            raise ZeroDivisionError("no ratio")
        common = gcd(num, den)
        self.num = num // common
        self.den = den // common

    def __eq__(self, other):
        return (self.num, self.den) == (other.num, other.den)

    def __lt__(self, other):
        return self.num * other.den < other.num * self.den

    def __repr__(self):
        return f"Ratio({self.num}/{self.den})"


class Price:
    def __init__(self, cents, currency="EUR"):
        self.currency, self.cents = currency, cents
        self.is_free = cents == 0

    def __repr__(self):
        if self.cents < 0:
            return f"Price(owed {-self.cents})"
        whole = self.cents // 100
        mark = " free" if self.is_free else ""
        return f"Price({whole}.{self.cents % 100:02d} {self.currency}{mark})"


class Basket:
    def __init__(self, prices):
        self.prices = []
        self.count = len(prices)
        self.total = 0
        for price in prices:
            self.prices.append(price)
            self.total += price.cents
        self.limit = 9

    def __repr__(self):
        return f"Basket({len(self.prices)} of {self.count}, {self.total}, {self.limit})"


class Late:
    def __init__(self, value):
        self.first = value
        self.fill(value)
        self.last = [value]

    def fill(self, value):
        self.middle = value + 1

    def __repr__(self):
        return f"Late({self.first}, {self.middle}, {self.last})"


def make(amounts):
    square = Square("box", 3)
    ratios = sorted([Ratio(6, 8), Ratio(2, 4)])
    prices = [Price(amount) for amount in amounts]
    basket = Basket(prices)
    late = Late(len(square.tags))
    try:
        Ratio(1, 0)
    except ZeroDivisionError as error:
        reason = str(error)
    return square, ratios, basket, late, reason
`,
  ],
  [
    'objects that are made of what changes',
    `make([1])`,
    `
class Log:
    def __init__(self, xs, n):
        self.xs = xs
        ys = self.xs
        ys.append(n)
        self.n = len(xs)
        xs.append(n)
        n += 1
        self.done = True

    def __repr__(self):
        return f"Log({self.xs}, {self.n}, {self.done})"


class Shared:
    def __init__(self, a, b=None):
        self.a = self.b = a
        self.b += 1
        del self.a
        self.a = b or [a]
        self.c = self.a
        self.c.append(3)
        self.d = lambda: self.a
        self.e = 0

    def __repr__(self):
        if self.e or self.b:
            return f"Shared({self.a}, {self.b}, {self.c}, {self.e})"
        return f"Shared({self.missing})"


class Early:
    def __init__(self, v):
        self.v = v
        self.w = v
        self.v = v * 2
        self.x = [self.v, self.w]

    def __repr__(self):
        try:
            return f"Early({self.v}, {self.w}, {self.x})"
        except AttributeError:
            return "Early(early)"


class Rect:
    def __init__(self, w, h):
        self.w = w
        self.h = h
        self.area = w * h
        w = 7

    def __repr__(self):
        shape = "square" if self.w == self.h else "rect"
        return f"Rect({shape} {self.w}x{self.h}={self.area:>4})"


class Text:
    def __init__(self, text):
        self.text = text
        self.size = len(text)

    def __repr__(self):
        return f"Text({self.text!r:>8}|{self.size + 1!s}|{self.text.upper()})"


def make(values):
    log = Log(values, 4)
    shared = Shared(1)
    early = Early(len(values))
    flat, even = Rect(2, 3), Rect(4, 4)
    text = Text("ab'c")
    return log, shared, early, flat, even, text
`,
  ],
];
