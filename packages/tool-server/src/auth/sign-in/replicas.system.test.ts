import { useDevnet, usePostgres } from '@svc/devnet/testing'
import { openStore, type SignIns } from '@svc/store'
import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  challengeOf,
  messageOf,
  newAccount,
  post,
  postSigned,
  startSigningServer,
  statusWith,
  type SigningServer,
} from './signing-server.fixture.ts'

const devnet = useDevnet()
const postgres = usePostgres()
const closers: (() => Promise<unknown>)[] = []
let replicas: readonly [SigningServer, SigningServer]
let signIns: SignIns

/** Two servers of the data profile behind one address, each with a directory of its own, over one PostgreSQL. */
beforeEach(async () => {
  const databaseUrl = await postgres().newSchema()
  const env = { SVC_DATABASE_URL: databaseUrl, SVC_PUBLIC_URL: 'http://localhost:3999/mcp', SVC_MCP_PROFILE: 'data' }
  const start = async () => {
    const server = await startSigningServer(devnet(), { env })
    closers.push(server.close)
    return server
  }
  replicas = [await start(), await start()]
  const store = await openStore({ url: databaseUrl, now: Date.now })
  closers.push(() => store.close())
  signIns = store.signIns
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function signedIn(at: SigningServer, account = newAccount()) {
  const { status, body } = await postSigned(at.url, account, messageOf(await challengeOf(at.url), account))
  expect(status).toBe(200)
  return { token: body.token ?? '', jti: body.claims?.jti ?? '', account }
}

const both = (token: string) => Promise.all(replicas.map(({ url }) => statusWith(url, token)))

describe('two replicas over one PostgreSQL', () => {
  it('take a challenge of each other, and of all who post it to both at once one alone', async () => {
    const [one, other] = replicas
    const account = newAccount()
    const message = messageOf(await challengeOf(one.url), account)
    const signature = await account.signMessage({ message })
    const posts = Array.from({ length: 20 }, (_, index) => post((index % 2 ? one : other).url, { message, signature }))
    const statuses = (await Promise.all(posts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(19)
  })

  it('take tokens of each other from the first on, and those of a new key as well', async () => {
    const [one, other] = replicas
    const first = await signedIn(one)
    expect([await statusWith(other.url, first.token), await statusWith(one.url, first.token)]).toEqual([400, 400])
    await signIns.rotate({ overlapMs: 900_000 })
    // Sign-ins are limited, so nobody waits by trying them over and over.
    await expect.poll(async () => (await signIns.state()).keys).toHaveLength(4)
    const kidOf = (token: string) => decodeProtectedHeader(token).kid
    await expect.poll(async () => kidOf((await signedIn(one)).token), { interval: 500 }).not.toBe(kidOf(first.token))
    const { token } = await signedIn(one)
    expect([await statusWith(other.url, token), ...(await both(first.token))]).toEqual([400, 400, 400])
  })

  it('both feel within a second that a token, or an address, is revoked', async () => {
    const [one, other] = replicas
    const account = newAccount()
    const [first, second] = [await signedIn(one, account), await signedIn(other, account)]
    expect([...(await both(first.token)), ...(await both(second.token))]).toEqual([400, 400, 400, 400])
    await signIns.revoke({ subject: `jti:${first.jti}`, by: 'operator:ann', until: null })
    await expect.poll(() => both(first.token)).toEqual([401, 401])
    expect(await both(second.token)).toEqual([400, 400])
    await signIns.revoke({ subject: `address:${account.address}`, by: 'operator:ann', until: null })
    await expect.poll(() => both(second.token)).toEqual([401, 401])
    for (const { url } of replicas) {
      expect(await postSigned(url, account, messageOf(await challengeOf(url), account))).toMatchObject({ status: 401 })
    }
  })
})
