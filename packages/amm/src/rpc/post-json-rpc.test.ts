import { expect, test } from 'vitest'
import { postJsonRpc } from './post-json-rpc.ts'

const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] } as const

test.each([
  [401, 'text/html; charset=utf-8', 'status 401 (text/html)'],
  [429, 'application/json', 'status 429 (application/json)'],
  [502, 'canary-key', 'status 502 (no type)'],
])('an answer of status %i that is no JSON-RPC tells nothing of its body', async (status, type, message) => {
  const body = 'no project canary-key'
  const answer = async () => new Response(body, { status, headers: { 'content-type': type } })
  const options = { url: 'http://rpc.example/canary-key', fetch: answer, timeoutMs: 1_000 }
  await expect(postJsonRpc(options, [call])).rejects.toMatchObject({ name: 'EndpointError', message })
  await expect(postJsonRpc(options, [call, { ...call, id: 2 }])).rejects.toMatchObject({ message })
})

/** What one endpoint's answer to such calls comes to. */
function answerTo(reported: unknown, ...methods: readonly string[]) {
  const fetch = async () => new Response(JSON.stringify(reported))
  const calls = methods.map((method, index) => ({ jsonrpc: '2.0' as const, id: index + 1, method, params: [] }))
  return postJsonRpc({ url: 'http://rpc.example/', fetch, timeoutMs: 1_000 }, calls)
}

const answer = { jsonrpc: '2.0', id: 1, result: '0x1' }

test('an answer to a lone call may stand in a list, but with nothing else', async () => {
  expect(await answerTo([answer], 'eth_gasPrice')).toEqual(new Map([[1, { id: 1, result: '0x1' }]]))
  await expect(answerTo([answer, {}], 'eth_gasPrice')).rejects.toMatchObject({ reason: 'broken' })
  await expect(answerTo([answer, { ...answer, id: 2 }], 'eth_gasPrice')).rejects.toMatchObject({ reason: 'broken' })
})

const tooMuch = { jsonrpc: '2.0', id: null, error: { code: -32_005, message: 'too many requests' } }
const noBatch = { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'batches are not supported' } }

test.each([
  [400, 'no batches'],
  [405, { error: 'one call at a time' }],
  [413, 'too large'],
  [415, ''],
  [422, {}],
  [200, noBatch],
] as const)(
  'a batch that is answered as a whole with status %i is refused, and a lone call is not',
  async (status, said) => {
    const fetch = async () => new Response(typeof said === 'string' ? said : JSON.stringify(said), { status })
    const options = { url: 'http://rpc.example/', fetch, timeoutMs: 1_000 }
    expect(await postJsonRpc(options, [call, { ...call, id: 2 }])).toBe('batch refused')
    const alone = await postJsonRpc(options, [call]).catch((error: unknown) => error)
    expect(alone).not.toBe('batch refused')
  },
)

test.each([
  [429, 'slow down', 'limited'],
  [200, tooMuch, 'limited'],
  [401, 'who are you', 'refused'],
  [503, 'restarting', 'broken'],
] as const)(
  'no to haste or to the caller, status %i, is no refusal of batches: nothing is sent again for it',
  async (status, said, reason) => {
    const fetch = async () => new Response(typeof said === 'string' ? said : JSON.stringify(said), { status })
    const asked = postJsonRpc({ url: 'http://rpc.example/', fetch, timeoutMs: 1_000 }, [call, { ...call, id: 2 }])
    await expect(asked).rejects.toMatchObject({ reason })
  },
)

test('a batch has no more answers than calls', async () => {
  const two = [answer, { ...answer, id: 2 }]
  expect(await answerTo(two, 'eth_gasPrice', 'eth_call')).toMatchObject({ size: 2 })
  const three = answerTo([...two, { ...answer, id: 3 }], 'eth_gasPrice', 'eth_call')
  await expect(three).rejects.toMatchObject({ reason: 'broken' })
})

test('an answer has no more values than what was asked for can have', async () => {
  const result = Array.from({ length: 1_000 }, () => ({}))
  await expect(answerTo({ ...answer, result }, 'eth_call')).rejects.toMatchObject({ reason: 'broken' })
  expect(await answerTo({ ...answer, result }, 'eth_getLogs')).toMatchObject({ size: 1 })
})

test('what answers with a quantity may fill a mebibyte, a call and a list more', async () => {
  const result = `0x${'0'.repeat(1024 * 1024)}`
  await expect(answerTo({ ...answer, result }, 'eth_gasPrice')).rejects.toMatchObject({
    reason: 'refused',
    message: 'the answer is larger than 1 MiB',
  })
  expect(await answerTo({ ...answer, result }, 'eth_call')).toMatchObject({ size: 1 })
  expect(await answerTo({ ...answer, result }, 'eth_getBlockByNumber')).toMatchObject({ size: 1 })
})

test('no number is longer than a word, wherever it stands', async () => {
  const result = { number: '0x1', timestamp: '9'.repeat(100) }
  await expect(answerTo({ ...answer, result }, 'eth_getBlockByNumber')).rejects.toMatchObject({ reason: 'broken' })
})
