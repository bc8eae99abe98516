/** The member of a group that has a partition: the first one, until it leaves; then the next. */
export class Memberships<Member> {
  readonly #queues = new Map<string, Member[]>();

  /** `true` when the partition is the member's at once. */
  join(partition: string, member: Member): boolean {
    const queue = this.#queues.get(partition);
    if (queue === undefined) {
      this.#queues.set(partition, [member]);
      return true;
    }
    queue.push(member);
    return false;
  }

  /** Removes every member that `gone` names; returns those that inherit a partition. */
  leave(gone: (member: Member) => boolean): Member[] {
    const promoted: Member[] = [];
    for (const [partition, queue] of this.#queues) {
      const holder = queue[0];
      const left = queue.filter((member) => !gone(member));
      if (left.length === queue.length) continue;
      const first = left[0];
      if (first === undefined) {
        this.#queues.delete(partition);
        continue;
      }
      this.#queues.set(partition, left);
      if (first !== holder) promoted.push(first);
    }
    return promoted;
  }
}
