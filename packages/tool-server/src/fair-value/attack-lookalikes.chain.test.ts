import { suspicions } from '@svc/amm/tokens'
import { useDevnet } from '@svc/devnet/testing'
import { expect, it } from 'vitest'

const devnet = useDevnet()

it.each(['U§DC', 'D∆I', 'US∂C', 'USD⊂', 'USDⲤ', '◡SDC'])(
  'G13: a symbol that is drawn like a listed one by a sign that no table knows (%s) is told to mislead',
  (symbol) => {
    const { chain } = devnet()
    const token = {
      address: '0x1111111111111111111111111111111111111111',
      symbol,
      name: 'x',
      decimals: 18,
      listed: false,
      isNative: false,
      usdPegged: false,
    } as const
    expect(suspicions(token, chain, [])).not.toEqual([])
  },
)
