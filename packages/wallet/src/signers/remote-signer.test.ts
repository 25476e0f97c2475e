import { inspect } from 'node:util'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import { Secret } from '../secret.ts'
import { WalletError } from '../wallet-error.ts'
import { type RemoteAnswers, startRemoteSigner } from './remote-server.fixture.ts'
import { createRemoteSigner } from './remote-signer.ts'

const account = privateKeyToAccount(`0x${'07'.repeat(32)}`)
const other = privateKeyToAccount(`0x${'08'.repeat(32)}`)
const closers: (() => Promise<void>)[] = []
const transaction = {
  type: 'eip1559',
  chainId: 1,
  nonce: 0,
  gas: 21_000n,
  to: other.address,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
} as const

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

it('sends the token and the whole transaction, zeros included', async () => {
  const { signer, server } = await open()
  await signer.signTransaction(transaction)
  expect(server.calls).toMatchObject([
    {
      method: 'eth_signTransaction',
      authorization: 'Bearer a-token',
      params: [{ from: account.address, nonce: '0x0', value: '0x0', data: '0x', chainId: '0x1', type: '0x2' }],
    },
  ])
})

it('takes the form of answer that nodes give', async () => {
  const raw = await account.signTransaction(transaction)
  const { signer } = await open({ next: () => ({ status: 200, body: JSON.stringify({ result: { raw, tx: {} } }) }) })
  expect(await signer.signTransaction(transaction)).toBe(raw)
})

it('refuses another transaction and another key', async () => {
  const { signer: altering } = await open({
    next: answering(await account.signTransaction({ ...transaction, value: 1n })),
  })
  expect(await refusal(altering.signTransaction(transaction))).toMatchObject({
    code: 'SIGNER_UNAVAILABLE',
    suggestion: expect.stringMatching(/before you know why.* was not sent/),
  })
  const { signer: foreign } = await open({ next: answering(await other.signTransaction(transaction)) })
  expect(await refusal(foreign.signTransaction(transaction))).toMatchObject({ code: 'WALLET_ADDRESS_MISMATCH' })
  expect(await refusal(foreign.signMessage('hello'))).toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
})

it.each([
  [{ status: 401, body: '' }, 'SIGNER_UNAUTHORIZED'],
  [{ status: 429, body: '', headers: { 'retry-after': '7' } }, 'SIGNER_RATE_LIMITED'],
  [{ status: 500, body: 'a-token' }, 'SIGNER_UNAVAILABLE'],
  [{ status: 302, body: '', headers: { location: 'http://127.0.0.1:9/' } }, 'SIGNER_UNAVAILABLE'],
  [{ status: 200, body: '<html>' }, 'SIGNER_UNAVAILABLE'],
  [{ status: 200, body: ' '.repeat(1024 * 1024 + 1) }, 'SIGNER_UNAVAILABLE'],
  [{ status: 200, body: '{"error":{"code":-32601,"message":"no"}}' }, 'SIGNING_UNSUPPORTED'],
  [{ status: 200, body: '{"error":{"code":4001,"message":"no"}}' }, 'SIGNER_REFUSED'],
  [{ status: 200, body: '{"result":null}' }, 'SIGNER_UNAVAILABLE'],
])('says what %j means, asks once, and shows no token', async (answer, code) => {
  const { signer, server } = await open({ next: () => answer })
  const error = await refusal(signer.signTransaction(transaction))
  expect(error.code).toBe(code)
  expect(server.calls.length).toBe(1)
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('a-token')
  expect(inspect(signer, { depth: 20, showHidden: true })).not.toContain('a-token')
})

it('says that nobody answers', async () => {
  const { signer, server } = await open()
  await server.stop()
  const host = expect.stringMatching(/^127\.0\.0\.1:\d+$/)
  expect(await refusal(signer.signTransaction(transaction))).toMatchObject({
    code: 'SIGNER_UNAVAILABLE',
    message: expect.stringMatching(/at 127\.0\.0\.1:\d+ does not answer/),
    details: { host },
  })
})

it.each([
  ['url', { url: 'http://signer.example' }],
  ['url', { url: 'nowhere' }],
  ['address', { address: '0x12' }],
])('refuses a wrong %s', (field, change) => {
  const config = { url: 'https://signer.example', address: account.address, ...change }
  expect(() => createRemoteSigner(config)).toThrow(field)
})

function answering(result: string) {
  return () => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) })
}

async function open(answers?: RemoteAnswers) {
  const server = await startRemoteSigner(account, answers)
  closers.push(server.stop)
  const signer = createRemoteSigner({ url: server.url, address: account.address, token: new Secret('a-token') })
  return { server, signer }
}

async function refusal(answer: Promise<unknown>): Promise<WalletError> {
  const error = await answer.then(
    (value) => expect.fail(`accepted: ${inspect(value)}`),
    (cause: unknown) => cause,
  )
  if (error instanceof WalletError) return error
  throw error
}
