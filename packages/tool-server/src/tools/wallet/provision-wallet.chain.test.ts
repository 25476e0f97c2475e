import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, test } from 'vitest'
import { openWorld, type World, type WorldOptions } from '../chain-world.fixture.ts'

const devnet = useDevnet()
const worlds: World[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

async function open(options: WorldOptions = {}): Promise<World> {
  const world = await openWorld(devnet(), { upstream: { ipfsMode: 'inline' }, ...options })
  worlds.push(world)
  return world
}

test('provision_wallet, check and register: the set-up of an agent in the order that it names', async () => {
  const world = await open()
  const before = await world.call('provision_wallet')
  expect(before.data).toMatchObject({
    status: 'ready',
    address: world.wallet,
    walletType: 'local',
    native: { symbol: 'ETH', amount: '20' },
    canRegister: true,
    fund: null,
    agentId: null,
    nextSteps: ['Call check_setup_health.', 'Call register_agent.'],
  })
  const balance = await world.balance('ETH')
  const { agentId } = (await world.call('register_agent', { role: 'vault_creator', name: 'agent' })).data as {
    agentId: string
  }
  const paid = Number(balance - (await world.balance('ETH'))) / 1e18
  expect(Number(before.text('registrationCost'))).toBeGreaterThan(paid)
  expect(Number(before.text('registrationCost'))).toBeLessThan(10 * paid)
  expect((await world.call('provision_wallet')).data).toMatchObject({ agentId, canRegister: false, fund: null })
  expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(1)
})

test('provision_wallet says what an empty wallet needs, and that is enough', async () => {
  const world = await open({ funds: { ETH: '0' } })
  const before = await world.call('provision_wallet')
  expect(before.at('canRegister')).toBe(false)
  expect(Number(before.text('fund.amount'))).toBeGreaterThanOrEqual(0.005)
  expect(before.at('nextSteps')).toEqual([
    `Ask the operator to send ${before.text('fund.amount')} ETH to ${world.wallet} on local.`,
    'Call check_setup_health.',
    'Call register_agent.',
  ])
  await devnet().fund(world.wallet, { ETH: before.text('fund.amount') })
  expect((await world.call('provision_wallet')).data).toMatchObject({ canRegister: true, fund: null })
  expect((await world.call('register_agent', { role: 'vault_creator', name: 'agent' })).at('status')).toBe('success')
})

test('provision_wallet says where nothing can be registered', async () => {
  const world = await open({ chain: { identityRegistry: undefined } as never })
  const answer = await world.call('provision_wallet')
  expect(answer.data).toMatchObject({ registrationCost: null, canRegister: false, agentId: null })
  expect(answer.at('notes')).toEqual(expect.arrayContaining(['local has no identity registry that this server calls.']))
})
