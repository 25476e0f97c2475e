/** Where the views were made; the bundle has them in its own folder. */
export function viewsFolder(): URL {
  return new URL('../../dist/views/', import.meta.url)
}
