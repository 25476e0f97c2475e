import { encodeFunctionData, type Hex } from 'viem'
import { chains } from '@svc/wallet/core'
import { universalRouterAbi, v3PositionManagerAbi } from '@svc/amm/abis'
import { positionPermitAbi, unsigned } from '@svc/amm/liquidity'
import type { Intent, PositionPermit } from '@svc/amm'
import { describe, expect, it } from 'vitest'
import { knownContracts } from '../calldata/known-contracts.ts'
import { devnetPolicy, parsePolicy } from '../policy/policy.ts'
import { permitRefusals } from './intent-refusals.ts'

const chain = chains.find(({ id }) => id === 8453)!
const router = chain.amm.universalRouter!.address
const stranger = '0x00000000000000000000000000000000000bad00'
const known = knownContracts(chain, parsePolicy(devnetPolicy(), { production: false }))
const declared: PositionPermit = {
  positionManager: chain.amm.v3!.positionManager,
  spender: router,
  tokenId: 7n,
  nonce: 0n,
  deadline: 9,
}

type Args = readonly [spender: Hex, tokenId: bigint, deadline: bigint, v: number, r: Hex, s: Hex]
const open: Args = [router, 7n, 9n, unsigned.v, unsigned.r, unsigned.s]
const permit = (args: Args): Hex => encodeFunctionData({ abi: positionPermitAbi, functionName: 'permit', args })
const burn = (id: bigint): Hex => encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'burn', args: [id] })
const execute = (commands: Hex, inputs: readonly Hex[]): Hex =>
  encodeFunctionData({ abi: universalRouterAbi, functionName: 'execute', args: [commands, inputs, 9n] })
const taking = (args: Args, burnt = 7n): Hex => execute('0x9112', [permit(args), burn(burnt)])

function refusals(
  datas: readonly Hex[],
  of: PositionPermit | null,
  atomicity: Intent['atomicity'] = 'single',
): readonly string[] {
  const intent: Intent = {
    chainId: chain.id,
    calls: datas.map((data) => ({ to: router, data, valueWei: 0n, label: 'migrate' })),
    atomicity,
    spends: [],
    receives: [],
    approvals: [],
    riskTier: 'routine',
    slippageBps: null,
    deadline: 9,
    recipients: [],
    ...(of === null ? {} : { permit: of }),
    why: 'test',
  }
  return permitRefusals(intent, { chain, known }).map(({ code, message }) => `${code} ${message}`)
}

describe('G6: a right over a position', () => {
  it('is taken as it is declared, once, and ends with the position', () => {
    expect(refusals([taking(open)], declared)).toEqual([])
    expect(refusals([execute('0x12', [burn(7n)])], null)).toEqual([])
  })

  it('is never taken inside a batch: nothing simulates a wallet that runs the batch and has signed already', () => {
    const why = 'A batch holds no call whose signature is still to be made.'
    expect(refusals([taking(open)], declared, 'batch-7702')).toEqual([`UNSAFE_TRANSACTION ${why}`])
  })

  const other = (at: number, value: Args[number]): Args => open.with(at, value) as unknown as Args
  it.each<readonly [string, readonly Hex[], PositionPermit | null]>([
    ['none is declared', [taking(open)], null],
    ['none is taken', [execute('0x12', [burn(7n)])], declared],
    ['two are taken', [execute('0x911112', [permit(open), permit(open), burn(7n)])], declared],
    ['two are taken that may fail', [execute('0x919112', [permit(open), permit(open), burn(7n)])], declared],
    ['another call stands beside it', [taking(open), execute('0x12', [burn(8n)])], declared],
    ['somebody else is given it', [taking(other(0, stranger))], declared],
    ['it is declared for somebody else', [taking(open)], { ...declared, spender: stranger }],
    ['it is over another position', [taking(other(1, 8n), 8n)], declared],
    ['it ends at another time', [taking(other(2, 10n))], declared],
    ['it is signed already', [taking(other(4, `0x${'1'.repeat(64)}`))], declared],
    ['its other half is signed already', [taking(other(5, `0x${'1'.repeat(64)}`))], declared],
    ['it is declared at another contract', [taking(open)], { ...declared, positionManager: stranger }],
    ['it outlasts the call', [taking(open, 8n)], declared],
  ])('is refused where %s', (_what, datas, of) => {
    expect(refusals(datas, of)).toEqual([expect.stringMatching(/^UNSAFE_TRANSACTION .*right.*\.$/)])
  })
})
