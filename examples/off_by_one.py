# Debug: running_maximum([3, 9, 2, 11])
# The last number never counts. Watch `i` when the loop ends.


def running_maximum(numbers):
    """The largest number so far, for each number."""
    largest = numbers[0]
    seen = [largest]
    i = 1
    while i < len(numbers) - 1:
        if numbers[i] > largest:
            largest = numbers[i]
        seen.append(largest)
        i += 1
    return seen
