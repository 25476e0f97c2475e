import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentAddress } from './agent/card/registration-file.ts'
import { readAgentFile } from './agent/lookup/read-agent-file.ts'
import { registerAgent } from './agent/register-agent.ts'
import { chains } from './chains.ts'
import { openChain } from './open-chain.ts'
import { ServiceWallet } from './service-wallet.ts'
import { openBundler } from './user-operation/open-bundler.ts'
import { urlCredentials } from './service-urls.ts'

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

it.each([
  ['https://user:password@rpc.example/v2?a=1', 'https://rpc.example/v2?a=1', basic('user:password')],
  ['http://user@127.0.0.1:8545', 'http://127.0.0.1:8545/', basic('user:')],
  ['https://:password@rpc.example', 'https://rpc.example/', basic(':password')],
  ['https://us%40er:p%3Ass%25@rpc.example/', 'https://rpc.example/', basic('us@er:p:ss%')],
  ['https://user:100%@rpc.example/', 'https://rpc.example/', basic('user:100%')],
  ['https://user:päss👾@rpc.example/', 'https://rpc.example/', basic('user:päss👾')],
])('%s is asked at %s', (text, url, headers) => {
  expect(urlCredentials(text)).toEqual({ url, headers })
})

it.each([
  'https://rpc.example/v2/key',
  'http://127.0.0.1:8545',
  'HTTPS://Rpc.example',
  'https://rpc.example/@user:1',
  'no URL',
])('%s stays as it is', (text) => {
  expect(urlCredentials(text)).toEqual({ url: text, headers: {} })
})

describe('a service that asks for a user and password', () => {
  const secret = 'kéy+%/word'
  const header = `Basic ${Buffer.from(`reader:${secret}`).toString('base64')}`
  const cid = contentAddress(new TextEncoder().encode('{}'))
  let port: number
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.headers.authorization !== header) return response.writeHead(401).end('who is there?')
      response.setHeader('content-type', 'application/json')
      if (request.method === 'GET') return response.end('{}')
      const asked: { readonly id: number } | readonly { readonly id: number }[] = JSON.parse(body)
      const answer = ({ id }: { readonly id: number }) => ({ jsonrpc: '2.0', id, result: '0x2105' })
      return response.end(JSON.stringify('id' in asked ? answer(asked) : asked.map(answer)))
    })
  })
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  /** What of the wallet package asks a URL that its user names. */
  const ways: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
    endpoint: (url) => openChain({ chainId: 8453, rpcUrls: { 8453: url } }, {}).client.getChainId(),
    'public endpoint': (url) =>
      openChain(
        { chainId: 9, rpcUrls: {} },
        { chains: [{ ...chains[0]!, id: 9, publicRpcUrls: [url] }] },
      ).client.getChainId(),
    bundler: (url) => openBundler(url, 10_000).request('eth_chainId', []),
    gateway: async (url) => {
      const { status, warnings } = await readAgentFile(`ipfs://${cid}`, { gatewayUrl: url })
      if (status === 'unavailable') throw new Error(warnings.join())
      return status
    },
  }

  it.each(Object.entries(ways))('answers the %s', async (_way, ask) => {
    await expect(ask(`http://reader:${encodeURIComponent(secret)}@127.0.0.1:${port}`)).resolves.toBeDefined()
  })

  it.each(Object.entries(ways))('is not named with them where the %s does not answer', async (_way, ask) => {
    for (const place of [`127.0.0.1:${port}`, '127.0.0.1:1']) {
      const error: unknown = await ask(`http://reader:other-${encodeURIComponent(secret)}@${place}`).catch(
        (thrown) => thrown,
      )
      expect(error).toBeInstanceOf(Error)
      const reported = inspect(error, { depth: 20, showHidden: true })
      for (const spelled of [secret, encodeURIComponent(secret), btoa('reader:other-').slice(0, 16)]) {
        expect(reported).not.toContain(spelled)
      }
    }
  })
})

it.each(['apiUrl', 'pinningUrl'] as const)('%s has no room for them, and says so', async (field) => {
  const wallet = new ServiceWallet({ mode: 'local', privateKey: `0x${'1f'.repeat(32)}`, chainId: 8453 })
  const options = { role: 'vault_creator', name: 'a', [field]: 'https://user:canary@api.example' } as const
  const refused = registerAgent(wallet, options)
  await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
  await expect(refused).rejects.toThrow(`${field} is not valid; accepted: a URL with http or https, without user`)
  await expect(refused).rejects.not.toThrow('canary')
})
