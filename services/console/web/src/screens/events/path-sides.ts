/**
 * On which side of the path each of its hashes stands, from the leaf upwards (RFC 9162 section 2.1.3.2).
 * @param leafIndex from 0
 * @param treeSize leaves of the tree
 * @param length hashes of the path
 */
export function sidesOf(leafIndex: number, treeSize: number, length: number): readonly ('left' | 'right')[] {
  let node = leafIndex;
  let last = treeSize - 1;
  return Array.from({ length }, () => {
    const isLeft = node % 2 === 1 || node === last;
    if (isLeft) {
      while (node % 2 === 0 && node > 0) [node, last] = [node / 2, Math.floor(last / 2)];
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    return isLeft ? 'left' : 'right';
  });
}
