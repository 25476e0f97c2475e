import { canonicalBytes, contentAddress, registrationFile } from '@svc/wallet/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestApi, testCard, type TestApi } from '../test-api.fixture.ts'

let api: TestApi
const bytes = canonicalBytes(registrationFile(testCard()))
const text = new TextDecoder().decode(bytes)
const cid = contentAddress(bytes)
const absent = contentAddress(new TextEncoder().encode('absent'))
beforeEach(async () => {
  api = await openTestApi()
  await api.pin(testCard())
})
afterEach(() => api.close())

const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  api.ask(`/ipfs/${path}`, { method, headers })
const forever = {
  'cache-control': 'public, max-age=29030400, immutable',
  'x-content-type-options': 'nosniff',
  vary: 'Accept',
}

describe.each(['GET', 'HEAD'])('%s', (method) => {
  const body = method === 'GET' ? text : ''

  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['by format', `${cid}?format=raw`, {}],
    ['by type', cid, { accept: 'application/vnd.ipld.raw' }],
    ['by one of several types', cid, { accept: 'text/html, application/vnd.ipld.raw;q=0.9' }],
    ['by format, whatever the type', `${cid}?format=raw`, { accept: 'application/json' }],
  ])('the raw block, %s', async (_how, path, headers) => {
    const answer = await ask(path, headers, method)
    expect(answer).toMatchObject({ status: 200, text: body })
    expect(answer.headers).toMatchObject({
      ...forever,
      'content-type': 'application/vnd.ipld.raw',
      'content-disposition': `attachment; filename="${cid}.bin"`,
      'content-length': String(bytes.length),
      etag: `"${cid}.raw"`,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
  })

  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['by nothing', cid, {}],
    ['by any type', cid, { accept: '*/*' }],
    ['by what browsers ask for', cid, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }],
    ['by format, whatever the type', `${cid}?format=json`, { accept: 'application/vnd.ipld.raw' }],
  ])('JSON, %s', async (_how, path, headers) => {
    const answer = await ask(path, headers, method)
    expect(answer).toMatchObject({ status: 200, text: body })
    expect(answer.headers).toMatchObject({
      ...forever,
      'content-type': 'application/json',
      'content-security-policy': 'sandbox',
      'content-length': String(bytes.length),
      'x-ipfs-path': `/ipfs/${cid}`,
      etag: `"${cid}"`,
      'access-control-allow-origin': '*',
    })
  })

  it.each([
    [`${cid}?format=raw`, `"${cid}.raw"`],
    [cid, `"${cid}"`],
    [cid, `W/"${cid}"`],
    [cid, `"other", "${cid}"`],
    [cid, '*'],
  ])('%s is not sent to who has %s', async (path, etag) => {
    const answer = await ask(path, { 'if-none-match': etag }, method)
    expect(answer).toMatchObject({ status: 304, text: '', headers: { ...forever, etag: expect.any(String) } })
  })

  it('the other form is sent to who has one', async () => {
    expect((await ask(`${cid}?format=raw`, { 'if-none-match': `"${cid}"` }, method)).status).toBe(200)
    expect((await ask(cid, { 'if-none-match': `"${cid}.raw"` }, method)).status).toBe(200)
  })

  it('the identity CID that probes a gateway is an empty block', async () => {
    const answer = await ask('bafkqaaa?format=raw', {}, method)
    expect(answer).toMatchObject({ status: 200, text: '', headers: { 'content-type': 'application/vnd.ipld.raw' } })
    expect(answer.headers['content-length']).toBe('0')
  })

  it.each<[string, string, Readonly<Record<string, string>>, number]>([
    ['absent content', absent, {}, 404],
    ['absent content, raw', `${absent}?format=raw`, {}, 404],
    ['absent content of version 0', 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKbXuL', {}, 404],
    ['absent content that may only come from the cache', absent, { 'cache-control': 'no-store, only-if-cached' }, 412],
    ['absent content whoever has it', absent, { 'if-none-match': '*' }, 404],
    ['no identifier', 'hello', {}, 400],
    ['an identifier with a letter changed in its length', `c${cid.slice(1)}`, {}, 400],
    ['an identifier cut short', cid.slice(0, -1), {}, 400],
    ['an identifier of version 0 cut short', 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKbXu', {}, 400],
    ['a way out', '..%2f..%2fetc', {}, 400],
    ['a CAR', `${cid}?format=car`, {}, 406],
    ['a CAR, by type', cid, { accept: 'application/vnd.ipld.car' }, 406],
    ['a path below', `${cid}/a`, {}, 404],
  ])('%s', async (_what, path, headers, status) => {
    const answer = await ask(path, headers, method)
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } })
    expect(answer.headers['cache-control']).toBe('no-store')
  })
})

it('what is kept is given although it may only come from the cache', async () => {
  expect((await ask(cid, { 'cache-control': 'only-if-cached' })).status).toBe(200)
})

it('what stands in an identifier is never given a type of its own', async () => {
  const answer = await ask('bafkqabtimvwgy3yk')
  expect(answer).toMatchObject({
    status: 200,
    text: 'hello\n',
    headers: { 'content-type': 'application/vnd.ipld.raw' },
  })
})

it('pages of any origin may read it, and are told why not', async () => {
  const preflight = await ask(cid, { origin: 'https://a.example', 'access-control-request-method': 'GET' }, 'OPTIONS')
  const allowed = { 'access-control-allow-methods': 'GET,HEAD', 'access-control-allow-headers': '*' }
  expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': '*', ...allowed } })
  expect((await ask(cid, { host: 'evil.example' })).headers['access-control-allow-origin']).toBe('*')
  expect((await ask(absent, { origin: 'https://a.example' })).headers['access-control-allow-origin']).toBe('*')
  expect((await api.ask('/healthz')).headers['access-control-allow-origin']).toBeUndefined()
})
