import { expect, test } from 'vitest'
import { contentAddress } from '../card/registration-file.ts'
import { readAgentFile } from './read-agent-file.ts'

const type = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1'
const bytes = new TextEncoder().encode(JSON.stringify({ type, name: 'Ada' }))
const agentURI = `ipfs://${contentAddress(bytes)}`
const gatewayUrl = 'https://gateway.test/'

test('a pinned file is asked of the gateway alone, as a raw block, and believed by its hash', async () => {
  const asked: unknown[] = []
  const fetch = async (...words: unknown[]) => {
    asked.push(words)
    return new Response(bytes)
  }
  expect(await readAgentFile(agentURI, { gatewayUrl, fetch })).toMatchObject({
    status: 'verified',
    file: { name: 'Ada' },
  })
  const url = `https://gateway.test/ipfs/${contentAddress(bytes)}?format=raw`
  expect(asked).toEqual([[url, expect.objectContaining({ redirect: 'error' })]])
})

test.each([
  ['that gives other content', () => Response.json({ type, name: 'Eve' }), 'other content'],
  ['that gives more than a block', () => new Response(new Uint8Array(300 * 1024)), 'did not give'],
  ['that has not got it', () => new Response(null, { status: 404 }), 'did not give'],
  ['that is down', () => Promise.reject(new TypeError('fetch failed')), 'did not give'],
])('a gateway %s leaves the file unavailable', async (_how, answer, said) => {
  const fetch = async () => answer()
  const read = await readAgentFile(agentURI, { gatewayUrl, fetch })
  expect(read).toMatchObject({ status: 'unavailable', file: null, warnings: [expect.stringContaining(said)] })
})

test('a caller who gives up is told so, and not that the file is unavailable', async () => {
  const signal = AbortSignal.abort()
  const read = readAgentFile(agentURI, { gatewayUrl, signal, fetch: () => Promise.reject(signal.reason) })
  await expect(read).rejects.toMatchObject({ name: 'WalletError', code: 'ABORTED', cause: signal.reason })
})

test.each([
  ['is no JSON', '{'],
  ['is a list', '[]'],
  ['is of another type', '{"type":"x","name":"Ada"}'],
  ['has no name', JSON.stringify({ type })],
  ['has a name that is no text', JSON.stringify({ type, name: {} })],
  ['has services that are none', JSON.stringify({ type, name: 'Ada', services: ['x'] })],
])('what %s is invalid, and no error', async (_how, text) => {
  expect(await readAgentFile(`data:application/json,${encodeURIComponent(text)}`, {})).toMatchObject({
    status: 'invalid',
    file: null,
    warnings: [expect.any(String)],
  })
})

test('long texts and lists are cut, and it is said where', async () => {
  const services = Array.from({ length: 65 }, () => ({ name: 'web', endpoint: 'https://agent.example' }))
  const text = JSON.stringify({ type, name: 'a'.repeat(3_000), services, ['__proto__']: { polluted: true } })
  const { file, warnings } = await readAgentFile(`data:application/json,${encodeURIComponent(text)}`, {})
  expect(file?.name).toHaveLength(2_000)
  expect(file?.services).toHaveLength(64)
  expect(warnings).toEqual(['Members cut to a length: name, services.'])
})
