/** The members of a request's body; none of them when it is no JSON object. */
export async function readJson(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = await request.json().catch(() => null)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
