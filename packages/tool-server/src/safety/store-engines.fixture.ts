import { usePostgres } from '@svc/devnet/testing'

/**
 * The engines a store may stand on, for `describe.each`. `usePlaces` is called inside the suite: it starts what the engine
 * needs and gives the URL of a new place, `undefined` where the place is the data directory.
 */
export const storeEngines: readonly StoreEngine[] = [
  { engine: 'SQLite', usePlaces: () => async () => undefined },
  {
    engine: 'PostgreSQL',
    usePlaces: () => {
      const postgres = usePostgres()
      return () => postgres().newSchema()
    },
  },
]

export type StoreEngine = {
  readonly engine: string
  usePlaces(this: void): () => Promise<string | undefined>
}
