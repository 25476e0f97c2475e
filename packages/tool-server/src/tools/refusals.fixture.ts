import { chains } from '@svc/wallet/core'
import { describe, expect, test } from 'vitest'
import { createChainDirectory } from '@svc/amm/chains'
import { createTokenDirectory } from '@svc/amm/tokens'
import { parseInput } from '../dispatch/parse-input.ts'
import { ToolError, type ErrorEnvelope } from '@svc/amm'
import type { Tool } from '../tool.ts'
import type { RecordContext, WriteContext } from '../tool-context.ts'
import { hostile, type InputKind } from './hostile-inputs.fixture.ts'

/**
 * Registers the tests of a tool's inputs: a valid call gets through to the world, each parameter refuses what its kind must
 * refuse, by name, with what it accepts and before anything is read, and every parameter has a kind.
 */
export function describeRefusals(
  tool: Tool,
  valid: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, InputKind>>,
): void {
  describe(`${tool.name} inputs`, () => {
    test('a valid call reaches the world', async () => {
      await expect(Promise.resolve().then(() => callUntouched(tool, valid))).rejects.toThrow('was touched')
    })

    test('each parameter is tried', () => {
      const shared = new Set(['dryRun', 'idempotencyKey'])
      const own = Object.keys(tool.input.shape).filter((name) => !shared.has(name))
      expect(Object.keys(kinds).sort()).toEqual(own.sort())
    })

    const rows = Object.entries(kinds).flatMap(([field, kind]) => hostile[kind].map((value) => ({ field, value })))
    test.each(rows)('$field refuses $value', async ({ field, value }) => {
      const refusal = await refusalOf(tool, { ...valid, [field]: value })
      expect(['VALIDATION_FAILED', 'CHAIN_NOT_SUPPORTED', 'TOKEN_NOT_FOUND']).toContain(refusal.code)
      const named = refusal.details.filter((detail) => detail.field?.split(/[.[]/)[0] === field)
      expect(named.length).toBeGreaterThan(0)
      expect(
        named.every((detail) => detail.accepted !== undefined || /Accepted|expected|Required/.test(detail.message)),
      ).toBe(true)
      expect(JSON.stringify(refusal)).toMatch(/^[ -~]*$/)
    })
  })
}

/** Calls a tool with a world that throws when touched and gives back the refusal; fails when the tool does not refuse. */
export async function refusalOf(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  world: WriteContext = untouchedWorld(),
): Promise<ErrorEnvelope> {
  try {
    await callUntouched(tool, args, world)
  } catch (error) {
    if (error instanceof ToolError) return error.toJSON()
    throw error
  }
  throw new Error(`${tool.name} took what it should refuse`)
}

/** The fields that a refusal names, in order. */
export async function refusedFields(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
): Promise<readonly (string | undefined)[]> {
  const { details } = await refusalOf(tool, args)
  return details.map((detail) => detail.field)
}

async function callUntouched(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  world: WriteContext = untouchedWorld(),
): Promise<unknown> {
  return tool.handle(parseInput(tool, args), world)
}

/** Chains and listed tokens are the real tables, which know without asking; everything else throws when reached for. */
export function untouchedWorld(): WriteContext & RecordContext {
  const rpc = untouchable('rpc')
  return {
    chains: createChainDirectory(chains),
    tokens: createTokenDirectory({ chains, rpc }),
    rpc,
    prices: untouchable('prices'),
    liquidity: untouchable('liquidity'),
    history: untouchable('history'),
    reach: untouchable('reach'),
    rewards: untouchable('rewards'),
    twamm: untouchable('twamm'),
    orders: untouchable('orders'),
    crossChain: untouchable('crossChain'),
    vaults: untouchable('vaults'),
    workers: untouchable('workers'),
    identities: untouchable('identities'),
    draw: () => {},
    isDryRun: false,
    keptDeposits: () => [],
    keptReceipts: () => [],
    atomicRoute: () => untouchable('atomicRoute'),
    keptParts: () => null,
    plannedChange: () => null,
    earlier: async () => [],
    status: untouchable('status'),
    operations: untouchable('operations'),
    memory: null,
    records: untouchable('records'),
    watches: () => untouchable('watches'),
    agentAddress: wallet,
    wallet: { address: wallet, type: 'local' },
    provisioned: null,
    defaults: { slippageBps: 50, deadlineSeconds: 600 },
    principal: { id: 'test', stage: 'local', tier: 'write', scopes: new Set(), expiresAt: null },
    signal: new AbortController().signal,
    now: () => Date.UTC(2026, 10, 21),
    execute: () => {
      throw new Error('execute was touched')
    },
  }
}

const wallet = '0x1111111111111111111111111111111111111111'

function untouchable(name: string): never {
  return new Proxy({} as never, {
    has: () => true,
    get: (_target, member) => {
      throw new Error(`${name}.${String(member)} was touched`)
    },
  })
}
