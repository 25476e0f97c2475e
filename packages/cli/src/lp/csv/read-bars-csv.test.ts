import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readBarsCsv } from './read-bars-csv.ts'

const shipped = readFileSync(
  new URL('../../../../../examples/data/univ3-polygon-usdc-weth-500-2023-08-13_17.minute.csv', import.meta.url),
  'utf8',
)
const header = 'startsAt,openTick,lowTick,highTick,closeTick,amount0In,amount1In,liquidity'

describe('bars of a CSV file', () => {
  test('are those of the shipped minutes, its gap filled', () => {
    const { bars, filledBars, widenedBars } = readBarsCsv(shipped)
    expect({ filledBars, widenedBars, barSeconds: bars.barSeconds }).toEqual({
      filledBars: 1,
      widenedBars: 89,
      barSeconds: 60,
    })
    expect(bars.startsAt[0]).toBe(Date.UTC(2023, 7, 13) / 1000)
    expect([bars.closeTick.at(-1), bars.liquidity[0], bars.amount1In[0]]).toEqual([
      202_033,
      Number('2391553663290390168'),
      Number('1066799650715290921'),
    ])
  })

  test('may have their columns in any order, fee growth, seconds, and Windows line ends', () => {
    const text = `\uFEFFfeeGrowth0,feeGrowth1,${header},note\r\n1.5e-7,0,60,-5,-6,4,3.25,1,2,3,\r\n\r\n0,2,180,3,3,3,3,0,0,3,"a, b"\r\n`
    const { bars, filledBars } = readBarsCsv(text, 60)
    expect(filledBars).toBe(1)
    expect([...bars.startsAt]).toEqual([60, 120, 180])
    expect([...bars.closeTick]).toEqual([3.25, 3.25, 3])
    expect([...(bars.feeGrowth?.token0 ?? [])]).toEqual([1.5e-7, 0, 0])
  })

  test.each<[expected: string, text: string]>([
    ['The file is empty: its first line names the columns.', ''],
    [
      'The header lacks startsAt or timestamp, openTick, closeTick, liquidity or currentLiquidity: it is "startsAt;openTick,lowTick,highTick,CLOSETICK,amount0In,amount1In". Names are parted by commas and written just so.',
      header.replace(',liquidity', '').replace(',', ';').replace('closeTick', 'CLOSETICK'),
    ],
    [
      'It has no header with startsAt, openTick, lowTick, highTick, closeTick, amount0In, amount1In, liquidity, so that it is no CSV file of bars.',
      '{"name":"svc"}\n{}',
    ],
    ['The header names lowTick or lowestTick more than once.', `${header},lowestTick`],
    ['line 3 has 7 fields where the header has 8.', `${header}\n0,1,1,1,1,1,1,1\n60,1,1,1,1,1,1`],
    ['line 2: closeTick is a plain number up to 2^128, not "".', `${header}\n0,1,1,1,,1,1,1`],
    ['line 2: amount0In is a plain number up to 2^128, not "1_000".', `${header}\n0,1,1,1,1,1_000,1,1`],
    ['line 2: liquidity is a plain number up to 2^128, not "0x10".', `${header}\n0,1,1,1,1,1,1,0x10`],
    ['line 2: liquidity is a plain number up to 2^128, not "NaN".', `${header}\n0,1,1,1,1,1,1,NaN`],
    [
      'line 2: startsAt is seconds since 1970, or UTC as 2023-08-13 00:01:00, not "2023-02-30 00:00:00".',
      `${header}\n2023-02-30 00:00:00,1,1,1,1,1,1,1`,
    ],
    [
      'line 3: startsAt is not later than that of the row before it: rows stand oldest first.',
      `${header}\n60,1,1,1,1,1,1,1\n60,1,1,1,1,1,1,1\n120,1,1,1,1,1,1,1`,
    ],
    ['line 2: highTick is within -887272 and 887272.', `${header}\n0,1,1,887273,1,1,1,1\n60,1,1,1,1,1,1,1`],
    ['line 3: amount1In is finite and at least 0.', `${header}\n0,1,1,1,1,1,1,1\n60,1,1,1,1,1,-1,1`],
    ['line 2: lowTick is not above highTick.', `${header}\n0,1,2,1,1,1,1,1\n60,1,1,1,1,1,1,1`],
    [
      'line 3: startsAt is not later than that of the row before it: rows stand oldest first.',
      `${header}\n120,1,1,1,1,1,1,1\n60,1,1,1,1,1,1,1\n0,1,1,1,1,1,1,1`,
    ],
    ['The file holds one row alone: say with --bar-seconds how long a bar is.', `${header}\n0,1,1,1,1,1,1,1`],
    ['The file holds no row below its header.', header],
    ['line 5: closeTick is a plain number up to 2^128, not "x".', `\n${header}\n\n0,1,1,1,1,1,1,1\n60,1,1,1,x,1,1,1`],
    ['line 2: amount0In is a plain number up to 2^128, not "3.5e38".', `${header}\n0,1,1,1,1,3.5e38,1,1`],
    [
      'The quotes of line 2 do not match: a quoted field ends with a quote before its comma.',
      `${header}\n"0,1,1,1,1,1,1,1`,
    ],
  ])('are refused: %s', (expected, text) => {
    expect(() => readBarsCsv(text)).toThrow(new Error(expected))
  })
})
