"""Attention heads in Python, as one batch by broadcasting: what each word of a poem looks at.

A head of an attention layer gives each word a query and a key, both of them products of the words' features and the head's
weights. Where the query of one word and the key of another are alike, the one looks at the other, and takes a share of its
value. Here the heads are not learned: the first sees how words begin, the second how they end, the third which letters they
have. Needs NumPy, the module clgemm, and an OpenCL device.
"""

import numpy

import clgemm

poem = """Tyger Tyger burning bright
In the forests of the night
What immortal hand or eye
Could frame thy fearful symmetry"""
heads = ("begins alike", "ends alike", "has the same letters")

words = poem.lower().split()
letters = "abcdefghijklmnopqrstuvwxyz"


def letter(character):
    """A row of 26 numbers, one of which is 1."""
    return numpy.array([character == each for each in letters], numpy.float32)


# A word's features: its first two letters, its last three, and how often it has each letter.
features = numpy.array([
    numpy.concatenate([letter(c) for c in word[:2]] + [letter(c) for c in word.rjust(3)[-3:]] + [sum(map(letter, word))])
    for word in words], numpy.float32)

# The heads' weights, one matrix each, by which a head sees its own features alone; of letters, most words share some.
of_head = numpy.repeat([0, 0, 1, 1, 1, 2], 26)
strength = numpy.array([3, 3, 1], numpy.float32)
weights = numpy.stack([numpy.diag((of_head == head) * strength[head]) for head in range(3)]).astype(numpy.float32)

# All heads at once: the features are one matrix for all, the weights one for each.
keys = clgemm.sgemm(features, weights) # 3 x words x features
scores = clgemm.sgemm(keys, keys.swapaxes(-1, -2)) # 3 x words x words, by transposed views, without a copy
for same in [(i, j) for i, one in enumerate(words) for j, other in enumerate(words) if one == other]:
    scores[:, same[0], same[1]] = -numpy.inf # no word looks at itself
shares = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
shares /= shares.sum(axis=-1, keepdims=True)
seen = clgemm.sgemm(shares, features) # what each word takes of the others' features

for head, what in enumerate(heads):
    print(f"{what}:")
    for line in poem.lower().splitlines():
        last = words.index(line.split()[-1])
        most = shares[head, last].argmax()
        print(f"    {words[last]} looks at {words[most]} ({shares[head, last, most]:.2f})")

assert numpy.allclose(seen, shares @ features, rtol=1e-5, atol=1e-6)
