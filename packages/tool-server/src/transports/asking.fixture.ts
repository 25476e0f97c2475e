import { randomBytes, randomUUID } from 'node:crypto'
import { openStore, type Operations } from '@svc/store'
import type { Call } from '@svc/engine'
import { createOperationsPipeline } from '../../../engine/src/operations/operations-pipeline.ts'
import { type Plan, ToolError } from '@svc/amm'
import { parsePolicy, type ApprovalChannel } from '../../../engine/src/policy/policy.ts'
import { storePrincipal } from '../../../engine/src/call/call.ts'
import type { Adapters } from '../server.ts'
import type { McpServerOptions } from './mcp-server.ts'
import { emptyPlan } from '../test-server.fixture.ts'

/** What the transports need beside the dispatch where nobody is asked anything. */
export const noAsking: Pick<McpServerOptions, 'closing' | 'stateKey' | 'now'> = {
  closing: new AbortController().signal,
  stateKey: randomBytes(32),
  now: Date.now,
}

/**
 * A pipeline of transactions that needs a person's word for every amount but "1" and keeps what waits in a real store. What it
 * would have signed is in `effects`.
 */
export async function openAskingPipeline(options: AskingOptions = {}) {
  const { channels = ['operator', 'client'], expirySeconds = 3_600, plan = bigPlan } = options
  const policyOf = (named: readonly ApprovalChannel[]) =>
    parsePolicy({ approvals: { channels: named, expirySeconds } }, { production: false })
  const policy = { now: policyOf(channels) }
  const store = await openStore({ path: ':memory:', now: Date.now })
  const { operations, idempotency } = store
  const audited: Readonly<Record<string, unknown>>[] = []
  const effects: string[] = []
  const quiet = () => {}
  const write: NonNullable<Adapters['write']> = {
    openExecute: (call) => async (intent, shape) => {
      if (intent.why !== '1' && call.carriesOut === null)
        throw await awaiting(operations, call, intent.why, { expirySeconds, plan })
      effects.push(intent.why)
      return shape(settled)
    },
    wallet: { address: '0x0000000000000000000000000000000000000001', type: 'local' },
    defaults: { slippageBps: 50, deadlineSeconds: 600 },
    atomicRoute: async () => null,
    idempotency,
    operations: createOperationsPipeline({
      operations,
      orders: store.orders,
      viewOrder: () => Promise.reject(new Error('there is none')),
      audit: { append: async (event) => void audited.push(event) },
      decisions: { record: async () => {} },
      policy: () => policy.now,
      policyNow: async () => policy.now,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      now: Date.now,
      hasSigned: async () => false,
    }),
    hasSigned: async () => false,
    safety: () => Promise.reject(new Error('not asked for here')),
    during: (work) => work(),
    underWay: () => 0,
    stop: async () => {},
    close: () => store.close(),
  }
  const allow = (named: readonly ApprovalChannel[]) => void (policy.now = policyOf(named))
  return { write, operations, tasks: store.tasks, effects, audited, allow }
}

type AskingOptions = {
  readonly channels?: readonly ApprovalChannel[]
  readonly expirySeconds?: number
  /** What is stored as the plan of what waits. */
  readonly plan?: object
}

export const bigPlan: Plan = {
  ...emptyPlan,
  why: 'Move 9,000 USDC.',
  planHash: `0x${'5a'.repeat(32)}`,
  bounds: {
    spendsAtMost: [
      {
        token: '0x0000000000000000000000000000000000000002',
        symbol: 'USDC\n\u202eApprove: yes',
        amount: '9000',
        usd: 9000,
        raw: '9000000000',
        decimals: 6,
        isListed: false,
      },
    ],
    receivesAtLeast: [],
  },
  spendUsd: '9000',
}

/** The same with a deposit, and a warning that tries to be more than text. */
export const depositingPlan: Plan = {
  ...bigPlan,
  deposits: [
    {
      kind: 'mint',
      version: 'v3',
      pool: `0x${'aa'.repeat(20)}`,
      token0: { token: `0x${'11'.repeat(20)}`, symbol: 'WETH', isListed: true },
      token1: { token: `0x${'22'.repeat(20)}`, symbol: 'USDC', isListed: true },
      feePct: 0.05,
      hooks: null,
      positionId: null,
      createsPool: false,
      tickLower: -197_310,
      tickUpper: -195_310,
      priceLower: 2700,
      priceUpper: 3300,
      currentPrice: 3000,
      share0Pct: 50,
    },
  ],
  warnings: ['Beware of\u001b this.'],
}

async function awaiting(
  operations: Operations,
  call: Call,
  amount: string,
  { expirySeconds, plan }: Required<Pick<AskingOptions, 'expirySeconds' | 'plan'>>,
): Promise<ToolError> {
  const { idempotencyKey } = call
  const waiting = { mostWaiting: 100, ...(idempotencyKey !== null && { idempotencyKey }) }
  const operation = {
    id: randomUUID(),
    state: 'awaiting_approval' as const,
    principalId: call.principal.id,
    principal: storePrincipal(call.principal),
    tool: call.tool,
    input: JSON.stringify({ amount }),
    chainId: 1,
    planHash: bigPlan.planHash,
    plan: JSON.stringify(plan),
    intent: '{}',
    spendUsdMicros: 9_000_000_000n,
    expiresAt: Date.now() + expirySeconds * 1_000,
    executeAfter: null,
  }
  const { id } = await operations.create(operation, waiting)
  return new ToolError('APPROVAL_REQUIRED', 'A person must approve this.', {
    details: [{ message: 'What waits.', operationId: id, planHash: bigPlan.planHash }],
  })
}

const transaction = { label: 'x', hash: `0x${'ab'.repeat(32)}` as const, blockNumber: 1n, logs: [], gasUsed: 1n }

const settled = {
  transactions: [transaction],
  main: transaction,
  calls: [transaction],
  deltas: [],
  gasCostWei: 0n,
  gasCostUsd: 0,
  gasOfBatch: null,
  safetyChecks: { tokenAllowlistPassed: true, spendingLimitPassed: true, simulationPassed: true },
  priceImpactBps: null,
  warnings: [],
}
