"""Hostile texts: a table, and small generators around it. All are bytes, for some are no UTF-8."""

import itertools

FORMULA = ["=", "+", "-", "@", "\t", "\r", "\n", "'", "|", "%"]
COMMANDS = ["1+1", "cmd|' /C calc'!A0", "HYPERLINK(\"http://example.com\",\"x\")", "SUM(A1:A9)", ""]
ESCAPES = [
    "[31m", "[2J", "[1;1H", "[?1049h", "[6n", "]0;title\x07", "]0;title\x1b\\", "]8;;http://example.com\x07",
    "]52;c;aGVsbG8=\x07", "P1$r\x1b\\", "_apc\x1b\\", "^pm\x1b\\", "Xsos\x1b\\", "c", "7", "8", "(0", "#8",
    "%G", " F", "[", "]0;never ended", "[38;2;1;2;3m", "[<0;1;1M", "[200~paste\x1b[201~", "N", "O", "=", ">",
]
TAGS = [
    "</script><script>alert(1)</script>", "</style><style>*{display:none}", "</title><h1>", "</td></tr></table>",
    "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<!--", "-->", "<![CDATA[", "]]>", "<?php", "&lt;",
    "&#60;script&#62;", "&amp", "\" onmouseover=\"alert(1)", "' onfocus='alert(1)", "javascript:alert(1)",
    "<a href=//example.com>", "<base href=//example.com>", "<iframe srcdoc='<b>'>", "</textarea>", "</bdi>",
    "<meta http-equiv=refresh content=0>", "<plaintext>", "{{7*7}}", "${7*7}", "<%= 7 %>", "<math><mtext>",
]
QUOTES = [
    '"', '""', '"""', "'", "''", "`", ",", ",,", '",', '","', '"\n"', ';', "a,b", 'a"b', 'a""b,"c', "\\", "\\\\",
    "\\n", "\\\"", "\\u0041", "|", "a;b", '"=1+1"', ' "padded" ',
]
LINES = ["\n", "\r", "\r\n", "\n\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x1c", "\x1d", "\x1e"]
LOOKALIKES = [
    "1", "-1", "+1", "1e5", "1E400", "0x1F", "007", "1,000", "1.000,5", "NaN", "inf", "-Infinity", "true", "FALSE",
    "null", "NULL", "\\N", "None", "NA", "#N/A", "2026-11-01", "11/01/26", "1-2", "MARCH1", "2026-11-01T09:00:00Z",
    "12:30", "9999999999999999999999", "0.1", "1/2", "(1)", "$5", "50%", "€1", "-", "--", "__HIVE_DEFAULT_PARTITION__",
]
JSONS = [
    "{}", "[]", '{"a":1}', '{"a":', '["x"]', '"x"', '{"__proto__":{"a":1}}', '{"a":"\\u0000"}', "\\ud800",
    '{"specversion":"1.0","id":"x"}', '"}\n{"id":"y', "[[[[[[[[", '{"a":1,"a":2}',
]
SCALARS = (
    # BOM, joiners, marks of direction and their overrides, invisible and unassigned ones, tags, private use.
    [0xfeff, 0xfffe, 0xffff, 0x1fffe, 0x10ffff, 0xfdd0, 0xfdef, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2060,
     0x2061, 0x2064, 0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x3164, 0xffa0, 0x202a, 0x202b,
     0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x206a, 0x206f, 0xfff9, 0xfffa, 0xfffb, 0xfffc,
     0xfffd, 0xfe0f, 0xfe00, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe000, 0xf8ff, 0xf0000, 0x1d173, 0x0378,
     0x2800, 0x3000, 0x00a0, 0x1680, 0x2007, 0x202f])
WRITING = [
    "e\u0301", "\u00e9", "\u212b", "\u00c5", "\u1112\u1161\u11ab", "\ud55c", "\ufb01", "\u0130i", "\u00df", "日本語",
    "العربية", "עברית", "abc \u05d0\u05d1\u05d2 123", "हिन्दी", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "\U0001f9d1\U0001f3fd", "Z͑ͫ̓a̴l̵g̶o̷",
    "a" + "\u0301" * 200, "\u0e33\u0e49", "\U00020000", "ｆｕｌｌ", "раураl",
]
BROKEN = [
    b"a\xff", b"\xc3", b"a\xc3(b", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x9f\x8e", b"\xf8\x88\x80\x80\x80",
    b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf4\x90\x80\x80", b"\x80", b"\x9b31m", b"\xfe\xff\x00a", b"=\xff", b"\"\xff,",
]


def around():
    """The texts that each generator makes of its part of the table."""
    for first, rest in itertools.product(FORMULA, COMMANDS):
        yield first + rest
    for escape in ESCAPES:
        yield "a\x1b" + escape + "b"
    for byte in [*range(0x20), *range(0x7f, 0xa0)]:
        # Each control of C0 and C1, and what a terminal would read after it.
        yield "a%c31mb" % byte
    yield from TAGS
    yield from QUOTES
    for line in LINES:
        yield "a%sb" % line
        yield line
    yield from LOOKALIKES
    yield from JSONS
    for scalar in SCALARS:
        yield "a%cb" % scalar
    yield "\ufeff=1+1"
    yield from WRITING
    for text in ["x" * 70_000, "é" * 40_000, "\"" * 9_000, "a,\n" * 5_000, "\x1b[31m" * 2_000, "=" * 33_000]:
        yield text
    for text in [" lead", "trail ", "\ttab\t", " =1+1", "a\0b", "\0", "\0=1", "a\0", "\u200b=1+1"]:
        yield text


def texts():
    """Each hostile text once, in the order of the table."""
    whole = [text.encode() for text in around()]
    return list(dict.fromkeys(whole + BROKEN))


def exported(text):
    """What an export says for a text: UTF-8 without zero bytes, about which no reader agrees."""
    return text.decode(errors="replace").replace("\0", "\ufffd")
