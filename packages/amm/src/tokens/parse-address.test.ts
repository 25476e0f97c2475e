import { describe, expect, it } from 'vitest'
import { parseAddress } from './create-token-directory.ts'

const weth = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

describe('parseAddress', () => {
  it('takes a checksummed address, and lower case, and answers with the checksum', () => {
    expect(parseAddress(weth, 'token')).toBe(weth)
    expect(parseAddress(weth.toLowerCase(), 'token')).toBe(weth)
  })

  it.each([
    ['a wrong checksum', weth.replace('C02a', 'c02a')],
    ['upper case throughout', `0x${weth.slice(2).toUpperCase()}`],
    ['an upper-case prefix', weth.toLowerCase().replace('0x', '0X')],
    ['a digit short', weth.slice(0, -1)],
    ['a digit long', `${weth}0`],
    ['blanks', ` ${weth}`],
    ['a line end', `${weth.toLowerCase()}\n`],
    ['full-width digits', weth.toLowerCase().replace('02', '０２')],
    ['a Cyrillic letter', weth.toLowerCase().replace('c', 'с')],
    ['nothing', ''],
  ])('refuses %s and names the field', (_, text) => {
    expect(() => parseAddress(text, 'tokenIn')).toThrow(
      expect.objectContaining({
        name: 'ToolError',
        code: 'VALIDATION_FAILED',
        details: [expect.objectContaining({ field: 'tokenIn', accepted: expect.any(String) })],
      }),
    )
  })
})
