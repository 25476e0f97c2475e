import { chains, findChain, Secret } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import { createSubgraphs, type SubgraphError } from './create-subgraphs.ts'

const ethereum = findChain(chains, 'ethereum')!

function recording(answer: () => Response) {
  const asked: { url: string; authorization: string | null }[] = []
  const fetch = async (url: unknown, init?: RequestInit) => {
    asked.push({ url: String(url), authorization: new Headers(init?.headers).get('authorization') })
    return answer()
  }
  return { asked, fetch: fetch as typeof globalThis.fetch }
}

test('the key goes to the gateway, in a header, and to nobody else', async () => {
  const { asked, fetch } = recording(() => Response.json({ data: { rows: [] } }))
  const subgraphs = createSubgraphs({ apiKey: new Secret('sesame'), fetch })
  expect(await subgraphs.of(ethereum, 'v3')!('{ rows }', {})).toEqual({ rows: [] })
  const own = { ...ethereum, subgraphs: { v3: 'https://graph.example/v3' } }
  await subgraphs.of(own, 'v3')!('{ rows }', {})
  expect(asked).toEqual([
    {
      url: expect.stringMatching(/^https:\/\/gateway\.thegraph\.com\/api\/subgraphs\/id\/5zvR82/),
      authorization: 'Bearer sesame',
    },
    { url: 'https://graph.example/v3', authorization: null },
  ])
})

test('a user and password of a URL travel in a header', async () => {
  const { asked, fetch } = recording(() => Response.json({ data: {} }))
  const own = { ...ethereum, subgraphs: { v3: 'https://reader:p%40ss@graph.example/v3' } }
  await createSubgraphs({ apiKey: new Secret('sesame'), fetch }).of(own, 'v3')!('{ rows }', {})
  expect(asked).toEqual([{ url: 'https://graph.example/v3', authorization: `Basic ${btoa('reader:p@ss')}` }])
})

test('without a key there is no gateway, and without a row no subgraph', () => {
  const subgraphs = createSubgraphs({ apiKey: null })
  expect(subgraphs.of(ethereum, 'v3')).toBeNull()
  expect(createSubgraphs({ apiKey: new Secret('k') }).of(findChain(chains, 'blast')!, 'v3')).toBeNull()
})

test('what may pass is asked three times, a refusal once; no failure quotes the key, the place or the answer', async () => {
  for (const [status, times] of [
    [503, 3],
    [429, 3],
    [403, 1],
  ] as const) {
    const { asked, fetch } = recording(() => new Response('sesame', { status }))
    const ask = createSubgraphs({ apiKey: new Secret('sesame'), fetch, pauseMs: 1 }).of(ethereum, 'v3')!
    const error = (await ask('{ rows }', {}).catch((thrown: unknown) => thrown)) as SubgraphError
    expect([error.name, error.message, asked.length]).toEqual([
      'SubgraphError',
      `answered with status ${status}`,
      times,
    ])
  }
})

test('an answer larger than 4 MiB is cut off', async () => {
  const { fetch } = recording(() => new Response(`{"data":"${'x'.repeat(5 * 1024 * 1024)}"}`))
  const ask = createSubgraphs({ apiKey: new Secret('k'), fetch }).of(ethereum, 'v3')!
  await expect(ask('{ rows }', {})).rejects.toMatchObject({
    kind: 'malformed',
    message: 'answered with more than 4 MiB',
  })
})

test('an exchange ends with its caller, and is not asked again', async () => {
  const leaving = new AbortController()
  let asked = 0
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      asked += 1
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
      leaving.abort()
    })
  const ask = createSubgraphs({ apiKey: new Secret('k'), fetch, pauseMs: 1 }).of(ethereum, 'v3')!
  await expect(ask('{ rows }', {}, leaving.signal)).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(asked).toBe(1)
})
