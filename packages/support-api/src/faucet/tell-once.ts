/** Tells what is met again at every look once in a term. */
export function tellOnce({ told }: { readonly told: Set<string> }, what: string, tell: () => void): void {
  if (told.has(what)) return
  told.add(what)
  tell()
}
