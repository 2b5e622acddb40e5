# Debug: total_price({'pen': '1.50', 'ink': 'free', 'pad': '4'})
# An error is raised in one frame, handled in another, and a `finally` runs in between.


class BadPrice(Exception):
    pass


def parse(text, log):
    try:
        return float(text)
    except ValueError as error:
        raise BadPrice(text) from error
    finally:
        log.append(text)


def total_price(prices):
    log = []
    total = 0.0
    skipped = []
    for name, text in prices.items():
        try:
            total += parse(text, log)
        except BadPrice as error:
            skipped.append((name, error.args[0]))
    return total, skipped, len(log)
