import { afterEach, beforeEach, expect, it } from 'vitest'
import { rawRequest } from '../raw-http.fixture.ts'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { sessionRevisions } from './protocol-facts.ts'

let fast: TestServer
let library: TestServer
beforeEach(async () => {
  const env = { SVC_MCP_PROFILE: 'full' }
  fast = await openTestServer({ env })
  library = await openTestServer({ env, isFast: false })
})
afterEach(() => Promise.all([fast.server.close(), library.server.close()]))

const clientInfo = { name: 'client', version: '1' }
const opening = (params: object) => ({ jsonrpc: '2.0', id: 'an "id"', method: 'initialize', params })
const plainOf = (protocolVersion: string) => opening({ protocolVersion, capabilities: {}, clientInfo })
const capable = (capabilities: unknown) => opening({ protocolVersion: '2025-11-25', capabilities, clientInfo })

/** Of both, without how it is framed: as a stream of one event, or as JSON. */
async function answersTo(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const [one, other] = await Promise.all(
    [fast, library].map(({ port, keys }) =>
      rawRequest(port, { token: keys.read, body: JSON.stringify(body), headers }),
    ),
  )
  const shown = (answer: typeof one) => ({
    status: answer?.status,
    json: answer?.json,
    opens: answer?.headers['mcp-session-id'] !== undefined,
  })
  return { one: shown(one), other: shown(other), isFast: one?.headers['content-length'] !== undefined }
}

it.each([
  ...sessionRevisions.map((revision) => [`of revision ${revision}`, plainOf(revision)] as const),
  ['whose client tells of its roots', capable({ roots: { listChanged: true } })] as const,
  ['whose client shows forms', capable({ elicitation: {}, sampling: {} })] as const,
  ['whose client shows views', capable({ extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [] } } })] as const,
])('a handshake %s is answered without the library as it answers', async (_name, body) => {
  const { one, other, isFast } = await answersTo(body)
  expect(isFast).toBe(true)
  expect(one).toEqual(other)
  expect(one).toMatchObject({ status: 200, opens: true })
})

it.each([
  ['of a revision that there is not', plainOf('2019-01-01')],
  ['of the revision without sessions', plainOf('2026-07-28')],
  ['with a capability that is not known', capable({ hovering: {} })],
  ['with capabilities that are none', capable('all')],
  ['with roots that are none', capable({ roots: { listChanged: 'yes' } })],
  ['without a client', opening({ protocolVersion: '2025-11-25', capabilities: {} })],
  [
    'with a client that has no version',
    opening({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' } }),
  ],
  ['with something more', opening({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo, _meta: {} })],
  ['without an id', { ...plainOf('2025-11-25'), id: undefined }],
])('a handshake %s is left to the library', async (_name, body) => {
  const { one, other } = await answersTo(body)
  expect(one).toEqual(other)
})

it('a handshake that takes no streams is refused as by the library', async () => {
  const { one, other } = await answersTo(plainOf('2025-11-25'), { accept: 'application/json' })
  expect(one).toEqual(other)
  expect(one.status).toBe(406)
})
