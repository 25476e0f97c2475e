export function localWorld(
  path?: string,
  options?: { readonly timeoutMs?: number },
): Promise<{ readonly folder: string; readonly rpc: { readonly url: string; readonly chainId: number } }>
