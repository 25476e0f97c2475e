import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { http, HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'
import {
  createTestServer,
  faucetHandlers,
  identitySdkHandlers,
  pinProxyHandlers,
  registryHandlers,
  type TestServer,
  walletProviderHandlers,
} from './index.ts'

const apiUrl = 'http://api.test'

let server: TestServer | null = null
afterEach(() => {
  const last = server
  server = null
  last?.close()
})

test.each<[string, () => unknown, string]>([
  [
    'a set',
    () => createTestServer(pinProxyHandlers({ apiUrl }) as never),
    'Argument 1 of createTestServer is a set of handlers: spread it',
  ],
  ['nothing', () => createTestServer(undefined as never), 'Argument 1 of createTestServer is no handler of msw'],
  [
    'no options',
    () => pinProxyHandlers(undefined as never),
    "pinProxyHandlers takes an object of options, such as pinProxyHandlers({ apiUrl: 'http://api.test' }).",
  ],
  [
    'no URL',
    () => faucetHandlers({} as never),
    "The option apiUrl of faucetHandlers is missing: give an http or https URL as text, such as apiUrl: 'http://api.test'.",
  ],
  [
    'a bad URL',
    () => registryHandlers({ rpcUrl: 'chain', chainId: 1 }),
    'The option rpcUrl of registryHandlers is wrong',
  ],
  [
    'a chain as text',
    () => registryHandlers({ rpcUrl: 'http://chain.test', chainId: '1' as never }),
    'The option chainId of registryHandlers is wrong: give the id of a chain as a number',
  ],
  [
    'no chain',
    () => identitySdkHandlers({ pinProxy: { apiUrl } } as never),
    'The option chain of identitySdkHandlers is missing: give the options of registryHandlers',
  ],
  [
    'a URL of another kind',
    () => walletProviderHandlers({ apiUrl: 7 as never }),
    'The option apiUrl of walletProviderHandlers is wrong',
  ],
])('%s from a caller in JavaScript is refused by name, with what is right', (_what, call, words) => {
  expect(call).toThrow(TypeError)
  expect(call).toThrow(words)
})

test.each<[string, () => { setFaults: (faults: never) => void }, string]>([
  [
    'registryHandlers',
    () => registryHandlers({ rpcUrl: 'http://chain.test', chainId: 84532 }),
    'drop, delay, error, revert',
  ],
  [
    'pinProxyHandlers',
    () => pinProxyHandlers({ apiUrl }),
    'down, slow, other-cid, rate-limit, unauthorized, unavailable',
  ],
  ['faucetHandlers', () => faucetHandlers({ apiUrl }), 'already-claimed, dry, rate-limit, unauthorized, down'],
  [
    'walletProviderHandlers',
    () => walletProviderHandlers(),
    'error, rate-limit, delay, drop, other-key, altered, lax, nonsense',
  ],
])('a fault that %s does not know is refused, with those that it knows', (_set, create, known) => {
  const handlers = create()
  for (const faults of [[{ fault: 'explode' }], [{}], [null]]) {
    const words = `Fault 1 of the list is not known: fault is one of ${known}.`
    expect(() => handlers.setFaults(faults as never)).toThrow(new TypeError(words))
  }
  expect(() => handlers.setFaults({ fault: 'drop' } as never)).toThrow(/^Faults are a list, such as \[\{ fault: /)
})

test('handlers answer, what is used later first, and until it is reset', async () => {
  server = createTestServer(http.get('https://api.example/', () => HttpResponse.text('first')))
  const text = async () => (await fetch('https://api.example/')).text()
  server.listen()
  expect(await text()).toBe('first')
  server.use(http.get('https://api.example/', () => HttpResponse.text('later')))
  expect(await text()).toBe('later')
  server.resetHandlers()
  expect(await text()).toBe('first')
})

test('a request that no handler takes fails, and the test with it, though its code goes on', async () => {
  server = createTestServer()
  server.listen()
  const swallowed = await fetch('https://elsewhere.example/v1/thing?key=secret', { method: 'POST' }).catch(() => null)
  expect(swallowed?.ok ?? false).toBe(false)
  const sentence = 'No handler takes these requests: POST https://elsewhere.example/v1/thing.'
  expect(() => server?.resetHandlers()).toThrow(sentence)
  expect(() => server?.resetHandlers()).not.toThrow()
  await fetch('https://elsewhere.example/v1/thing', { method: 'POST' }).catch(() => null)
  expect(() => server?.close()).toThrow(sentence)
})

test('a second server is refused while one listens, and answers nothing in its place', async () => {
  server = createTestServer(http.get('https://api.example/', () => HttpResponse.text('first')))
  const second = createTestServer(http.get('https://api.example/', () => HttpResponse.text('second')))
  server.listen()
  expect(() => second.listen()).toThrow(/Another test server of this process listens already.*createTestServer\(/)
  expect(() => server?.listen()).toThrow(/This test server listens already/)
  second.close()
  expect(await (await fetch('https://api.example/')).text()).toBe('first')
  server.close()
  second.listen()
  server = second
  expect(await (await fetch('https://api.example/')).text()).toBe('second')
})

test('this machine is reached as ever', async () => {
  const own = createServer((_request, response) => response.end('here'))
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
  const { port } = own.address() as AddressInfo
  try {
    server = createTestServer()
    server.listen()
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here')
    expect(await (await fetch(`http://localhost:${port}/`)).text()).toBe('here')
  } finally {
    own.closeAllConnections()
    await new Promise((resolve) => own.close(resolve))
  }
})
