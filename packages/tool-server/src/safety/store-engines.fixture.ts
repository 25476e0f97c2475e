import { testedEngine, usePostgres } from '@svc/devnet/testing'

/**
 * The engine that stores stand on in the tests that run now, for `describe.each`. `usePlaces` is called inside the suite: it starts
 * what the engine needs and gives the URL of a new place, `undefined` where the place is the data directory.
 */
export const storeEngines: readonly StoreEngine[] = [
  { engine: testedEngine(), usePlaces: testedEngine() === 'PostgreSQL' ? useSchemas : () => async () => undefined },
]

function useSchemas(): () => Promise<string> {
  const postgres = usePostgres()
  return () => postgres().newSchema()
}

export type StoreEngine = {
  readonly engine: string
  usePlaces(this: void): () => Promise<string | undefined>
}
