import { ExecutionRevertedError, type Hex, type PublicClient } from 'viem'
import { expect, test } from 'vitest'
import type { Intent } from '../intent.ts'
import { ToolError } from '../tool-error.ts'
import { requireUnchanged } from './require-unchanged.ts'

const to = `0x${'12'.repeat(20)}` as const
const later = (call: () => Promise<{ data?: Hex }>) => ({ call }) as unknown as PublicClient
const restingOn = (answer: Hex) => ({ restsOn: [{ to, data: '0x', answer }] }) as unknown as Intent

test.each<[string, Hex, () => Promise<{ data?: Hex }>, boolean]>([
  ['says the same', '0xab', async () => ({ data: '0xAB' }), true],
  ['still says nothing', '0x', async () => ({}), true],
  ['still reverts', '0x', () => Promise.reject(new ExecutionRevertedError({})), true],
  ['says something else', '0xab', async () => ({ data: '0xac' }), false],
  ['says nothing any more', '0xab', async () => ({}), false],
  ['reverts by now', '0xab', () => Promise.reject(new ExecutionRevertedError({})), false],
])('a contract that %s', async (_what, answer, call, isUnchanged) => {
  const outcome = requireUnchanged(restingOn(answer), later(call))
  if (isUnchanged) await expect(outcome).resolves.toBeUndefined()
  else await expect(outcome).rejects.toMatchObject({ code: 'SIMULATION_DRIFT' })
})

test('an endpoint that fails is no contract that says otherwise', async () => {
  const failing = later(() => Promise.reject(new ToolError('RPC_TIMEOUT', 'slow')))
  await expect(requireUnchanged(restingOn('0x'), failing)).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
})
