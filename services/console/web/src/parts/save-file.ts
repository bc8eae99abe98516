/** Gives the browser a file to keep. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Once the download has taken the bytes.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
