import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { openStore } from '@svc/store'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, expect, it, vi } from 'vitest'
import { connectModern } from '../../test-server.fixture.ts'
import {
  challengeOf,
  messageOf,
  newAccount,
  postSigned,
  register,
  startSigningServer,
} from './signing-server.fixture.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0).toReversed()) await close()
})

it('of a wallet run when their time comes, while neither it nor the token that left them is revoked and it is granted what it had; each line names who, and no credential', async () => {
  const privateKey = generatePrivateKey()
  await devnet().fund(new ServiceWallet({ mode: 'local', privateKey }).address, { ETH: '10', USDC: '50000' })
  const [ann, bob, cid] = [newAccount(), newAccount(), newAccount()]
  for (const account of [ann, bob, cid]) await register(devnet(), account, 'vault_participant')
  const granted = Object.fromEntries([ann, bob, cid].map(({ address }) => [address, ['write:trade']]))
  const policyOf = (wallets: object, routine: number) => ({
    ...devnetPolicy(),
    proxyDelay: true,
    delaySeconds: { routine },
    signIn: { wallets },
  })
  const env = { PRIVATE_KEY: privateKey }
  const first = await startSigningServer(devnet(), { policy: policyOf(granted, 1), env })
  closers.push(first.close)
  const secrets: string[] = []
  const clientOf = async (account: typeof ann) => {
    const message = messageOf(await challengeOf(first.url), account)
    const { body } = await postSigned(first.url, account, message)
    secrets.push(body.token ?? 'none', await account.signMessage({ message }))
    const { client } = await connectModern(first.url, body.token ?? '', 'modern')
    closers.push(() => client.close())
    return { client, jti: body.claims?.jti }
  }
  const swap = { chain: `${devnet().chainId}`, tokenIn: 'USDC', tokenOut: 'WETH', amount: '10' }
  const schedule = async ({ client }: Awaited<ReturnType<typeof clientOf>>) => {
    const { structuredContent } = await client.callTool({ name: 'execute_swap', arguments: swap })
    expect(structuredContent).toMatchObject({ status: 'scheduled' })
    return String((structuredContent as Record<string, unknown>)['operationId'])
  }
  const [annIn, bobIn] = [await clientOf(ann), await clientOf(bob)]
  const [stolen, kept] = [await clientOf(cid), await clientOf(cid)]
  const store = await openStore({ path: join(first.dataDir, 'state.db'), now: Date.now })
  closers.push(() => store.close())
  const stateOf = async (id: string) => (await store.operations.byId(id))?.state
  const runs = await schedule(annIn)
  await expect.poll(() => stateOf(runs)).toBe('done')

  first.setPolicy(policyOf(granted, 600))
  await expect
    .poll(async () => (await store.operations.byId(await schedule(annIn)))?.executeAfter ?? 0)
    .toBeGreaterThan(Date.now() + 300_000)
  const [ofRevoked, ofUngranted] = [await schedule(annIn), await schedule(bobIn)]
  const [ofStolen, ofKept] = [await schedule(stolen), await schedule(kept)]
  await first.close()
  await store.signIns.revoke({ subject: `address:${ann.address}`, by: 'operator:dan', until: null })
  await store.signIns.revoke({ subject: `jti:${stolen.jti}`, by: 'operator:dan', until: null })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })
  const { dataDir } = first
  const second = await startSigningServer(devnet(), {
    dataDir,
    policy: policyOf({ [ann.address]: ['write:trade'], [cid.address]: ['write:trade'] }, 600),
    env,
  })
  closers.push(second.close)
  const endOf = async (id: string) => {
    await expect.poll(() => stateOf(id)).not.toMatch(/scheduled|running/)
    return stateOf(id)
  }
  expect(await endOf(ofKept)).toBe('done')
  for (const id of [ofRevoked, ofUngranted, ofStolen]) {
    expect(await endOf(id)).toBe('failed')
    expect(JSON.parse((await store.operations.byId(id))?.answer ?? '{}')).toMatchObject({ code: 'PRINCIPAL_REVOKED' })
  }

  const audit = readFileSync(join(dataDir, 'audit.jsonl'), 'utf8')
  const lines = audit
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const actor = { principal: `siwe:${ann.address}`, stage: 'siwe', tier: null }
  expect(lines.find(({ event }) => event === 'auth.signed-in')).toMatchObject({
    actor,
    jti: annIn.jti,
    role: 'vault_participant',
  })
  expect(lines.find(({ event }) => event === 'tool.called')).toMatchObject({ actor, tool: 'execute_swap' })
  expect(lines.find(({ event }) => event === 'tx.intent')).toMatchObject({ actor })
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(100)
    for (const part of [secret, secret.split('.').at(-1) ?? secret]) expect(audit).not.toContain(part)
  }
})
