# Debug: is_palindrome('Never odd or even!')
# The cleaned text keeps a character it should lose. Watch `cleaned`.


def clean(text):
    cleaned = ''
    for character in text:
        if character.isalpha() or character == '!':
            cleaned += character.lower()
    return cleaned


def is_palindrome(text):
    cleaned = clean(text)
    left, right = 0, len(cleaned) - 1
    while left < right:
        if cleaned[left] != cleaned[right]:
            return False
        left += 1
        right -= 1
    return True
