// The product's own server, guards, authentication, sessions and both protocol eras, with the tools, prompts and resources
// that the conformance suite asks for put on top by the hook that tests have. Authentication is on, in every way.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@svc/store'
import { openServer, provisionKeys, readConfig } from '@svc/tool-server'
import { createEventStore } from './fixtures/event-store.mjs'
import { installFixtures } from './fixtures/install-fixtures.mjs'
import { createRequestState } from './fixtures/request-state.mjs'

/** Opens the server on a free port of the loopback interface, with these settings besides; `key` is its read key. */
export async function openFixtureServer(more) {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-conformance-'))
  const own = { SVC_DATA_DIR: dataDir, SVC_LISTEN: '127.0.0.1:0', SVC_MCP_PROFILE: 'data', LOG_LEVEL: 'error' }
  const settings = { ...own, ...more }
  const keys = provisionKeys(readConfig(settings), randomBytes)
  const requestState = createRequestState(randomBytes(32))
  const store = await openStore({ path: join(dataDir, 'tasks.db'), now: Date.now })
  const server = await openServer(readConfig(settings), {
    tools: [],
    adapters: {
      tasks: store.tasks,
      testing: {
        server: (server, era, notify, tasking) => installFixtures({ server, era, notify, tasking, requestState }),
        eventStore: createEventStore,
      },
    },
  })
  const { url } = await server.listen()
  return {
    url,
    key: keys.read.reveal(),
    async close() {
      await server.close()
      await store.close()
      await rm(dataDir, { recursive: true })
    },
  }
}
