import { type Address, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent, IntentApproval } from '@svc/amm'
import type { GivenRight } from '../simulation/asset-changes.ts'
import { mintDeposit } from '../fixtures/deposit.fixture.ts'
import { assertDeclared } from './assert-declared.ts'
import type { Simulation } from '../simulation/simulation.ts'

const usdc: Address = '0x0000000000000000000000000000000000001111'
const weth: Address = '0x0000000000000000000000000000000000002222'
const router: Address = '0x0000000000000000000000000000000000003333'
const permit2: Address = '0x0000000000000000000000000000000000004444'
const manager: Address = '0x0000000000000000000000000000000000005555'
const stranger: Address = '0x000000000000000000000000000000000000Bad0'

const approval: IntentApproval = { token: usdc, spender: router, amount: 100n, via: 'erc20', revokeAfter: true }
const intent: Intent = {
  chainId: 1,
  calls: [],
  atomicity: 'single',
  spends: [{ token: usdc, amount: 100n }],
  receives: [{ token: weth, amount: 5n }],
  approvals: [approval],
  riskTier: 'routine',
  slippageBps: null,
  deadline: null,
  recipients: [],
  why: 'swap',
}
const honest: Simulation = {
  playedBy: 'eth_simulateV1',
  blockNumber: 1n,
  deltas: new Map([
    [usdc, -100n],
    [weth, 5n],
  ]),
  leftNfts: [],
  rights: [{ token: usdc, spender: router, amount: 100n, by: 'token', tokenId: null, contract: usdc }],
  leftovers: [0n],
  kept: [],
  foreignPositions: [],
  paid: new Map(),
  inspected: { positions: [], pools: [], orders: [], vaultDeposits: [] },
  deposits: [],
  gasUsed: [],
  revokeGasUsed: [],
}

function verdict(
  change: Partial<Simulation>,
  of: Partial<Intent> = {},
  isStrict = false,
  removesLiquidity = false,
): readonly string[] {
  const allowances = [{ token: usdc, amount: 100n, revokeAfter: of.approvals?.[0]?.revokeAfter ?? true }]
  const declared = { ...intent, ...of }
  const context = {
    permit2,
    positionManagers: new Set([manager.toLowerCase()]),
    allowances,
    isStrict,
    expected: {
      isListed: (token: string) => token === usdc || token === weth,
      isNamed: (token: string) => declared.receives.some((one) => one.token.toLowerCase() === token),
    },
    removesLiquidity,
    mayBringHome: () => false,
    isWallet: (address: Address) => address !== stranger,
  }
  return assertDeclared(declared, { ...honest, ...change }, context).map(({ code }) => code)
}

const right = (change: Partial<GivenRight>): Partial<Simulation> => ({ rights: [{ ...honest.rights[0]!, ...change }] })
const unsafe = ['UNSAFE_TRANSACTION']

describe('a simulation held against its intent', () => {
  it('passes when it does what is declared, or less harm', () => {
    expect(verdict({})).toEqual([])
    expect(verdict({ deltas: new Map([[weth, 6n]]) })).toEqual([])
    expect(verdict({ leftovers: [100n] })).toEqual([])
    expect(
      verdict(
        {
          deltas: new Map([
            [stranger, 1n],
            [weth, 5n],
          ]),
        },
        {},
        true,
      ),
    ).toEqual([])
  })

  it('G8: takes no token in exchange that is neither named nor listed', () => {
    const strange = stranger.toLowerCase()
    const deltas = new Map([...honest.deltas, [strange, 1n]])
    expect(verdict({ deltas })).toEqual(unsafe)
    const receives = [{ token: stranger, amount: 1n }]
    expect(verdict({ deltas }, { receives })).toEqual([])
    expect(verdict({ deltas }, { receives }, true)).toEqual(['TOKEN_NOT_ALLOWLISTED'])
  })

  it('G6: removes no liquidity of which nothing arrives', () => {
    const removal: Partial<Intent> = { spends: [], receives: [] }
    expect(verdict({ deltas: new Map() }, removal, false, true)).toEqual(unsafe)
    expect(verdict({ deltas: new Map([[weth, 1n]]) }, removal, false, true)).toEqual([])
    expect(verdict({ deltas: new Map() }, { ...removal, recipients: [stranger] }, false, true)).toEqual([])
    // All of it may go into another range, to the last unit, but to nobody else.
    const { sqrtPriceX96, liquidity } = mintDeposit
    const into = (recipient: Address) => {
      const declared = { ...mintDeposit, recipient }
      return [{ declared, position: null, liquidity, priceBefore: sqrtPriceX96, priceAfter: sqrtPriceX96 }]
    }
    const moved = { ...removal, slippageBps: 50 }
    expect(verdict({ deltas: new Map(), deposits: into(mintDeposit.recipient) }, moved, false, true)).toEqual([])
    expect(verdict({ deltas: new Map(), deposits: into(stranger) }, moved, false, true)).toEqual(unsafe)
  })

  it('G6: changes no position of somebody else', () => {
    expect(verdict({ foreignPositions: [{ contract: manager, id: 1n }] })).toEqual(['RECIPIENT_NOT_ALLOWED'])
  })

  it.each<readonly [string, Partial<Simulation>]>([
    [
      'more leaves',
      {
        deltas: new Map([
          [usdc, -101n],
          [weth, 5n],
        ]),
      },
    ],
    ['another token leaves', { deltas: new Map([...honest.deltas, [stranger.toLowerCase(), -1n]]) }],
    ['native currency leaves', { deltas: new Map([...honest.deltas, [zeroAddress, -1n]]) }],
    [
      'less arrives',
      {
        deltas: new Map([
          [usdc, -100n],
          [weth, 4n],
        ]),
      },
    ],
    ['nothing arrives', { deltas: new Map([[usdc, -100n]]) }],
    ['an NFT goes to somebody', { leftNfts: [{ token: manager, to: stranger }] }],
    ['an NFT that is no position is burnt', { leftNfts: [{ token: stranger, to: zeroAddress }] }],
    ['more is approved', right({ amount: 101n })],
    ['somebody else is approved', right({ spender: stranger })],
    ['another token is approved', right({ token: weth, contract: weth })],
    ['a whole collection is approved', right({ amount: null })],
    ['Permit2 approves what was declared as plain', right({ by: 'permit2', tokenId: null, contract: permit2 })],
    ['more stays approved than declared', { leftovers: [101n] }],
    ['a router keeps a token', { kept: [{ contract: router, token: usdc, amount: 1n }] }],
  ])('is refused when %s', (_what, change) => {
    expect(verdict(change)).toEqual(unsafe)
  })

  it('lets a position manager burn its own position', () => {
    expect(verdict({ leftNfts: [{ token: manager, to: zeroAddress }] })).toEqual([])
  })

  it('knows an approval through Permit2: both halves, by the real contract', () => {
    const approvals = [{ ...approval, via: 'permit2' as const }]
    const halves: readonly GivenRight[] = [
      { token: usdc, spender: permit2, amount: 100n, by: 'token', tokenId: null, contract: usdc },
      { token: usdc, spender: router, amount: 100n, by: 'permit2', tokenId: null, contract: permit2 },
    ]
    expect(verdict({ rights: halves }, { approvals })).toEqual([])
    expect(verdict({ rights: [{ ...halves[1]!, amount: 101n }] }, { approvals })).toEqual(unsafe)
    expect(verdict({ rights: [{ ...halves[1]!, spender: stranger }] }, { approvals })).toEqual(unsafe)
    expect(verdict({ rights: [{ ...halves[1]!, contract: stranger }] }, { approvals })).toEqual(unsafe)
    expect(verdict({ rights: [{ ...halves[0]!, spender: router }] }, { approvals })).toEqual(unsafe)
  })

  it('wants a lasting approval to stand exactly as declared', () => {
    const approvals = [{ ...approval, revokeAfter: false }]
    expect(verdict({ leftovers: [100n] }, { approvals })).toEqual([])
    expect(verdict({ leftovers: [99n] }, { approvals })).toEqual(unsafe)
  })
})
