import { chmod, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { expect, it } from 'vitest'
import { openWorld } from '../chain-world.fixture.ts'
import { methodsIn } from '../../../../engine/src/fixtures/network.fixture.ts'
import type { ApprovalChannel } from '../../../../engine/src/policy/policy.ts'
import { openPolicySource } from '../../../../engine/src/policy/policy-source.ts'

const devnet = useDevnet()
const swap = { tokenIn: 'USDC', tokenOut: 'ETH', amount: '10', version: 'v3' }

/** A world under a policy file by which the client may approve, with a swap that waits for it. */
async function openWaiting() {
  const path = join(await mkdtemp(join(tmpdir(), 'channels-')), 'policy.json')
  const allow = async (...channels: ApprovalChannel[]) => {
    const policy = { allowlist: { mode: 'lenient' }, approvalThresholdUsd: '5', approvals: { channels } }
    await writeFile(`${path}.new`, JSON.stringify(policy))
    await chmod(`${path}.new`, 0o600)
    await rename(`${path}.new`, path)
  }
  await allow('operator', 'client')
  const world = await openWorld(devnet(), { policies: await openPolicySource(path, { production: false }) })
  const [waits] = (await world.refuse('execute_swap', swap)).details
  const [operationId, planHash] = [String(waits?.['operationId']), String(waits?.['planHash'])]
  const operation = (await world.store.operations.byId(operationId))!
  const approve = () =>
    world.operations.decide(operation, { approved: true, by: 'client:api-key:0000000000000e12', planHash })
  const expectUnsigned = async () => {
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(0)
    await world.close()
  }
  return { world, allow, approve, operationId, planHash, expectUnsigned }
}

it('an approval over a channel that was removed since carries nothing out', async () => {
  const { world, allow, approve, operationId, expectUnsigned } = await openWaiting()
  await approve()
  await allow('operator')
  expect(await world.refuse('execute_plan', { planId: operationId })).toMatchObject({ code: 'APPROVAL_REQUIRED' })
  expect((await world.store.operations.byId(operationId))?.state).toBe('failed')
  await expectUnsigned()
})

it('an answer over a channel that was removed since the question is not used', async () => {
  const { world, allow, operationId, planHash, expectUnsigned } = await openWaiting()
  await allow('operator')
  const answer = { operationId, planHash, accepted: true }
  expect(await world.refuse('execute_swap', swap, { answer })).toMatchObject({ code: 'APPROVAL_REQUIRED' })
  expect((await world.store.operations.byId(operationId))?.state).toBe('awaiting_approval')
  await expectUnsigned()
})

it('nobody is asked over a channel that was removed since the last write', async () => {
  const { world, allow, expectUnsigned } = await openWaiting()
  await allow('operator')
  const asked: unknown[] = []
  const confirm = async (question: unknown) => {
    asked.push(question)
    return 'accepted' as const
  }
  expect(await world.refuse('execute_swap', swap, { confirm })).toMatchObject({ code: 'APPROVAL_REQUIRED' })
  expect(asked).toEqual([])
  await expectUnsigned()
})

it('an approval counts no more when its channel is removed while the operation is on its way to be signed', async () => {
  const { world, allow, approve, operationId, expectUnsigned } = await openWaiting()
  await approve()
  world.network.fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_simulateV1')) await allow('operator')
    return response
  }
  expect(await world.refuse('execute_plan', { planId: operationId })).toMatchObject({ code: 'APPROVAL_REQUIRED' })
  expect((await world.store.operations.byId(operationId))?.state).toBe('failed')
  await expectUnsigned()
})
