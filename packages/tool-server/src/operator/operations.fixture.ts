import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type NewOperation } from '@svc/store'
import { placeMigrated } from '../../../store/src/migrated-file.fixture.ts'

/** A data directory with operations in it, as a server leaves them, and the store open as the server has it. */
export async function openDirectory(operations: readonly Partial<NewOperation>[] = [{}], url?: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-approvals-'))
  const place = url === undefined ? { path: join(dataDir, 'state.db') } : { url }
  if (place.path !== undefined) await placeMigrated(place.path)
  const store = await openStore({ ...place, now: Date.now })
  for (const [index, operation] of operations.entries()) {
    await store.operations.create({ ...waiting, id: `op-${index + 1}`, ...operation })
  }
  return { dataDir, store, operations: store.operations }
}

export const planHash = `0x${'5a'.repeat(32)}`

const position = '0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1'
const weth = '0x4200000000000000000000000000000000000006'
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const ofWeth = {
  token: weth,
  symbol: 'WETH',
  amount: '1.5',
  usd: 4500,
  raw: '1500000000000000000',
  decimals: 18,
  isListed: true,
}

/** What `add_liquidity` plans. A symbol gives orders, as strangers' tokens do. */
export const plan = {
  why: 'Add 1.5 WETH and 4,500 USDC to a v3 pool at 0.3 %, price 2,700 to 3,300.',
  planHash,
  steps: [
    {
      label: 'approve WETH',
      to: weth,
      contract: 'the token WETH',
      valueWei: '0',
      selector: '0x095ea7b3',
      calls: [
        {
          function: 'approve',
          arguments: { spender: position, amount: '1500000000000000000' },
          amounts: { amount: ofWeth },
        },
      ],
    },
    {
      label: 'mint position',
      to: position,
      contract: 'the v3 position manager',
      valueWei: '1000000000000000',
      selector: '0x88316456',
      calls: [{ function: 'mint', arguments: { token0: weth, token1: usdc, tickLower: '-201360', fee: '3000' } }],
    },
  ],
  atomicity: 'sequential',
  deltas: [
    { token: weth, symbol: 'WETH', amount: '-1.5', usd: -4500 },
    { token: usdc, symbol: 'US\u202eDC<img src=x onerror=alert(1)>', amount: '-4498.2', usd: -4498.2 },
  ],
  bounds: {
    spendsAtMost: [
      ofWeth,
      {
        token: usdc,
        symbol: 'US\u202eDC<img src=x onerror=alert(1)>',
        amount: '4500.000001',
        usd: 4500,
        raw: '4500000001',
        decimals: 6,
        isListed: false,
      },
    ],
    receivesAtLeast: [],
  },
  deposits: [
    {
      kind: 'mint',
      version: 'v3',
      pool: '0xd0b53D9277642d899DF5C87A3966A349A798F224',
      token0: { token: weth, symbol: 'WETH', isListed: true },
      token1: { token: usdc, symbol: 'US\u202eDC<img src=x onerror=alert(1)>', isListed: false },
      feePct: 0.3,
      hooks: null,
      positionId: null,
      createsPool: false,
      tickLower: -197_340,
      tickUpper: -195_300,
      priceLower: 2_700,
      priceUpper: 3_300,
      currentPrice: 2_998.8,
      share0Pct: 50,
    },
  ],
  warnings: ['The price lies outside of <b>the</b> range: the position earns nothing until it comes in.'],
  spendUsd: '9000',
  gasEstimate: '520000',
  gasCostUsd: 0.61,
  gasCostAtMost: '0.0008',
  gasCostAtMostUsd: 2.4,
  chain: { name: 'base', nativeSymbol: 'ETH', nativeDecimals: 18 },
  policy: {
    allowed: true,
    refusals: [],
    conditions: [
      { code: 'APPROVAL_REQUIRED', message: 'A spend of 9000 USD needs an approval; up to 250 USD do not.' },
    ],
  },
  blockNumber: '722',
}

export const waiting: NewOperation = {
  id: 'op-1',
  state: 'awaiting_approval',
  principalId: 'key:write:1f9c2a7e',
  principal: '{}',
  tool: 'add_liquidity',
  input: '{}',
  chainId: 8_453,
  planHash,
  plan: JSON.stringify(plan),
  intent: '{}',
  spendUsdMicros: 9_000_000_000n,
  expiresAt: Date.now() + 3_600_000,
  executeAfter: null,
}
