/** Where the views were made; the bundle has them in its own folder. `null` where a program is no file, so that nothing lies beside it. */
export function viewsFolder(): URL | null {
  const place: string | undefined = import.meta.url
  return place === undefined || !place.startsWith('file:') ? null : new URL('../../dist/views/', place)
}
