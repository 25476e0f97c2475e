// The engines of the store that the server is killed on. Each is started once; every world has a place of its own in it.
import { join } from 'node:path'
import { startPostgres } from '../../packages/devnet/dist/postgres/start-postgres.js'

export const engines = {
  sqlite: {
    async start() {
      const at = (dataDir) => ({ path: join(dataDir, 'state.db') })
      return { newPlace: async () => ({ at, environment: {} }), dies: null, stop: async () => undefined }
    },
  },
  postgres: {
    async start() {
      const postgres = await startPostgres({ ownServer: true })
      return {
        async newPlace() {
          const url = await postgres.newSchema()
          return { at: () => ({ url }), environment: { SVC_DATABASE_URL: url } }
        },
        /** SIGKILL to PostgreSQL, and a new start on what it left. */
        async dies() {
          await postgres.kill()
          await postgres.restart()
        },
        stop: () => postgres.stop(),
      }
    },
  },
}
