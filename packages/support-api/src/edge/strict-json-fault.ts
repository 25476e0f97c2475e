/**
 * What a strict reader has against a JSON text that parses: a name that stands twice in an object, where readers differ
 * in which one they believe, or nesting beyond `maxDepth`. `null` when there is nothing.
 */
export function strictJsonFault(json: string, maxDepth: number): string | null {
  /** Names seen in each open object; `null` for an open list. */
  const open: (Set<string> | null)[] = []
  for (const [token, text] of json.matchAll(tokens)) {
    if (token === '}' || token === ']') open.pop()
    else if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null)
      if (open.length > maxDepth) return `The body is nested deeper than ${maxDepth} levels.`
    } else if (text !== undefined && token !== text) {
      const name = String(JSON.parse(text))
      const names = open.at(-1)
      if (names?.has(name)) return `The name ${JSON.stringify(name.slice(0, 64))} stands twice in one object.`
      names?.add(name)
    }
  }
  return null
}

/** Brackets; and texts, which are names where a colon follows. */
const tokens = /("(?:[^"\\]|\\.)*")(?:\s*:)?|[{}[\]]/g
