/** How many turns of the event loop some work takes, and what it comes to. */
export async function turnsTaken<Result>(work: () => Promise<Result>): Promise<{ turns: number; result: Result }> {
  let turns = 0
  const count = () => void ((turns += 1), (next = setImmediate(count)))
  let next = setImmediate(count)
  const result = await work().finally(() => clearImmediate(next))
  return { turns, result }
}
