// The product's own server, guards, authentication, sessions and both protocol eras, with the tools, prompts and resources
// that the conformance suite asks for put on top by the hook that tests have. Authentication is on.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, provisionKeys, readConfig } from '@svc/tool-server'
import { createEventStore } from './fixtures/event-store.mjs'
import { installFixtures } from './fixtures/install-fixtures.mjs'
import { createRequestState } from './fixtures/request-state.mjs'

/** Opens the server on a free port of the loopback interface; `key` is what a caller has to send. */
export async function openFixtureServer() {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-conformance-'))
  const settings = { SVC_DATA_DIR: dataDir, SVC_LISTEN: '127.0.0.1:0', SVC_MCP_PROFILE: 'data', LOG_LEVEL: 'warn' }
  const keys = provisionKeys(readConfig(settings), randomBytes)
  const requestState = createRequestState(randomBytes(32))
  const server = createServer(readConfig(settings), {
    tools: [],
    ports: {},
    write: null,
    testing: {
      server: (server, era, notify) => installFixtures({ server, era, notify, requestState }),
      eventStore: createEventStore,
    },
  })
  const { url } = await server.listen()
  return {
    url,
    key: keys.read.reveal(),
    async close() {
      await server.close()
      await rm(dataDir, { recursive: true })
    },
  }
}
