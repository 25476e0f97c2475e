// The engines of the store that the server is killed on.
import { join } from 'node:path'

export const engines = {
  sqlite: {
    async start() {
      return { at: (dataDir) => ({ path: join(dataDir, 'state.db') }), environment: {}, stop: async () => undefined }
    },
  },
}
