/** Tells of paths that are simulated, on a terminal alone: who reads a file of it has no use for a line that is written over. */
export function progressLine(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>) {
  return (done: number, all: number): void => {
    if (stream.isTTY) stream.write(done < all ? `\r${done} of ${all} paths` : '\r\u001B[K')
  }
}
