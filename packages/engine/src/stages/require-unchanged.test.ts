import { ExecutionRevertedError, type Hex, type PublicClient } from 'viem'
import { expect, test } from 'vitest'
import { type Intent, ToolError } from '@svc/amm'
import { requireUnchanged } from './prepare.ts'

const to = `0x${'12'.repeat(20)}` as const
const later = (request: () => Promise<Hex>) => ({ request }) as unknown as PublicClient
const restingOn = (answer: Hex) => ({ restsOn: [{ to, data: '0x', answer }] }) as unknown as Intent

test.each<[string, Hex, () => Promise<Hex>]>([
  ['says the same', '0xab', async () => '0xAB'],
  ['still says nothing', '0x', async () => '0x'],
  ['still reverts', '0x', () => Promise.reject(new ExecutionRevertedError({}))],
])('a contract that %s', async (_what, answer, request) => {
  await expect(requireUnchanged(restingOn(answer), later(request))).resolves.toBeUndefined()
})

test.each<[string, Hex, () => Promise<Hex>]>([
  ['says something else', '0xab', async () => '0xac'],
  ['says nothing any more', '0xab', async () => '0x'],
  ['reverts by now', '0xab', () => Promise.reject(new ExecutionRevertedError({}))],
])('a contract that %s is another', async (_what, answer, request) => {
  await expect(requireUnchanged(restingOn(answer), later(request))).rejects.toMatchObject({ code: 'SIMULATION_DRIFT' })
})

test('an endpoint that fails is no contract that says otherwise', async () => {
  const failing = later(() => Promise.reject(new ToolError('RPC_TIMEOUT', 'slow')))
  await expect(requireUnchanged(restingOn('0x'), failing)).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
})
