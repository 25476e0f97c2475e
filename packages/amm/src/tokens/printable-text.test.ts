import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printableText } from './read-token.ts'

describe('printableText', () => {
  it.each([
    ['USD Coin', 'USD Coin'],
    ['Ünïcödé 日本 🦄', 'Ünïcödé 日本 🦄'],
    ['a\u202egpj.exe', 'a\\u{202e}gpj.exe'],
    ['a\u0000\u001b[2J\r\n\u2028', 'a\\u{0}\\u{1b}[2J\\u{d}\\u{a}\\u{2028}'],
    ['\u200b\u2060\ufeff\u00ad', '\\u{200b}\\u{2060}\\u{feff}\\u{ad}'],
    ['\u{e0041}\u{e007f}', '\\u{e0041}\\u{e007f}'],
    ['x\ufe0fy\u{e0100}', 'x\\u{fe0f}y\\u{e0100}'],
    ['\u3164\u115f\u2800\u00a0', '\\u{3164}\\u{115f}\\u{2800}\\u{a0}'],
    ['\ud800 alone', '\\u{d800} alone'],
    ['\u2066\u2069\u061c', '\\u{2066}\\u{2069}\\u{61c}'],
    ['USD\u0421', 'USD\\u{421}'],
    ['\uff35SDC', '\\u{ff35}SDC'],
    ['\u{1d414}SDC', '\\u{1d414}SDC'],
    ['\u0420\u0443\u0431\u043b\u044c', '\u0420\u0443\u0431\u043b\u044c'],
  ])('%j becomes %j', (raw, shown) => {
    expect(printableText(raw)).toBe(shown)
  })

  it('cuts at 64 characters and says so', () => {
    expect(printableText('x'.repeat(64))).toBe('x'.repeat(64))
    expect(printableText('x'.repeat(65))).toBe(`${'x'.repeat(63)}…`)
    expect(printableText('y'.repeat(1_000_000))).toHaveLength(64)
  })

  it('never exceeds the limit, leaves nothing hidden and no half of a pair, whatever comes', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 200 }), (raw) => {
        const shown = printableText(raw)
        expect(shown.length).toBeLessThanOrEqual(64)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
        expect(shown).not.toMatch(/\p{Cs}/u)
      }),
    )
  })
})
