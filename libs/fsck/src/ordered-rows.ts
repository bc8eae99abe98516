/** A stream of rows in a stated order, read ahead by one row, to be merged with another one. */
export class OrderedRows<T> {
  /** `null`: there are no more. */
  row: T | null = null;

  private constructor(private readonly rows: AsyncIterator<T>) {}

  static async of<T>(rows: AsyncIterable<T>): Promise<OrderedRows<T>> {
    const ordered = new OrderedRows(rows[Symbol.asyncIterator]());
    await ordered.advance();
    return ordered;
  }

  /** The next row. */
  async advance(): Promise<T | null> {
    const next = await this.rows.next();
    this.row = next.done === true ? null : next.value;
    return this.row;
  }

  /** The first row from this one on of which `is` holds. */
  async skipTo(is: (row: T) => boolean): Promise<T | null> {
    while (this.row !== null && !is(this.row)) await this.advance();
    return this.row;
  }

  async close(): Promise<void> {
    await this.rows.return?.();
  }
}
