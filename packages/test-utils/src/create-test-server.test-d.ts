import { createTestServer, registryHandlers, type RequestHandler } from './index.ts'

// Handlers that a test of one's own puts together go in as they are.
declare const given: Parameters<typeof createTestServer>
const handlers: RequestHandler[] = given
const chain = registryHandlers({ rpcUrl: 'http://chain.test', chainId: 84532 })
const server = createTestServer(...handlers, ...chain)
server.use(...handlers, ...chain)
