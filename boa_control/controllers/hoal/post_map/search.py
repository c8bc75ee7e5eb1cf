# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where posts that are not detected are searched, and when one is not there.

A post is expected a little before its place, searched at it, and then further and further away.
What counts is how far the body has come, detected by nothing, not how far the reference has been
bent for it: other posts hold the body, and friction does. A post is not there once the flank has
swept the whole region where it could stand.
"""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array, Flags, Indices


class PostSearch:
    """Searches the posts of a path.

    Attributes:
        place: from where a contact is believed to be to where it is searched, along its normal,
            positive towards the path, shape (contacts of the path,), m.
        any_absent: some contact was not there in the last `advance`.
    """

    def __init__(
        self, contacts: int, map_error: float, interval: float, tuning: Tuning = SHIPPED
    ) -> None:
        """`contacts`: number of those of the path. `map_error`: expected offset of a post, standard
        deviation, m. `interval`: between two updates, s.
        """
        self._tuning, self._approach = tuning.post_map, tuning.contacts.approach
        self._map_error = map_error
        self._step = tuning.post_map.search_speed * interval  # m
        self._contacts = contacts
        self.reset()

    def reset(self) -> None:
        """Nothing has been searched, and only contacts of the path are planned."""
        contacts = self._contacts
        self.place = np.zeros(contacts)
        self._lag = np.zeros(contacts)  # of the body, m; 0 for contacts that are not searched
        self._in_view = np.zeros(contacts, bool)
        self._across = np.zeros(contacts, bool)  # as far as it could stand, or the body comes
        self._absent = np.zeros(contacts, bool)
        self.any_absent = False
        self._direction = 1

    def grow(self, contacts: int) -> None:
        """As many contacts are planned by now; where the posts of further ones stand is known."""
        more = contacts - self.place.size
        self.place, self._lag = (np.append(x, np.zeros(more)) for x in (self.place, self._lag))
        self._in_view = np.append(self._in_view, np.ones(more, bool))
        self._across, self._absent = (
            np.append(x, np.zeros(more, bool)) for x in (self._across, self._absent)
        )

    def go_on_from(self, before: PostSearch, former: Indices, new: Indices) -> None:
        """Go on with the contacts `new`, which are the same as `former` ones of `before`, (k,)."""
        self.place[new], self._in_view[new] = before.place[former], before._in_view[former]
        self._direction = before._direction

    def found(self, contacts: Indices) -> None:
        """These contacts have been located: where they were searched no longer matters."""
        self.place[contacts] = 0.0

    def absent(self, contacts: Indices) -> Flags:
        """Which of these contacts are not there, shape (nc,)."""
        return self._absent.take(contacts)

    def across(self, contacts: Indices) -> Flags:
        """Which of these contacts were searched across as far as they could stand or as the body
        comes: from here no more can be found out. Shape (nc,).
        """
        return self._across.take(contacts)

    def update(self, contacts: ContactSet, ahead: Flags, doubt: Array, direction: int) -> None:
        """Let the leading end keep clear of posts that come into view.

        Args:
            contacts: planned, with posts where they are assumed to stand.
            ahead: which of them lie before the leading end, shape (nc,).
            doubt: standard deviations of the places of their posts, shape (nc,), m.
            direction: 1: the head leads; -1: the tail.
        """
        contact = contacts.contact
        if direction != self._direction:  # the other end leads from now on
            self._direction = direction
            self.place[contact[ahead]] = doubt[ahead]
        new = contact[ahead & ~self._in_view[contact]]
        self.place[new], self._absent[new] = self._map_error, False
        self._in_view.fill(False)
        self._in_view[contact] = True

    def advance(self, contacts: ContactSet, level: Array, away: Array, std: Array) -> None:
        """Search those that are not detected. One that is detected stands where the body is.

        Args:
            contacts: as above. level: how far each has been taken on, shape (nc,).
            away: gaps between the body and the posts where they are searched, shape (nc,), m.
            std: standard deviations of the gaps between the body and the posts, shape (nc,), m.
        """
        # one that was located, and is not detected any more, may be anywhere again
        std, tuning = np.maximum(std, self._map_error), self._tuning
        contact, detected = contacts.contact, level > self._approach
        self.place[contact[detected]] += self._lag[contact[detected]]
        sought = ~detected & (contacts.inside > -tuning.search_way)
        lag = np.where(sought, np.maximum(away, 0.0), 0.0)
        # beyond its reach the nose swings in front of the post, and strikes it there
        limit = np.minimum(tuning.search_limit * std + tuning.margin, contacts.reach)
        swept = sought & (-self.place[contact] - lag >= limit)
        absent = swept & (contacts.inside >= tuning.beside * std) | (sought & self._absent[contact])
        waiting = swept | (lag > tuning.search_way)
        for flags, now in ((self._across, sought & (waiting | absent)), (self._absent, absent)):
            flags.fill(False)
            flags[contact] = now
        self.any_absent = bool(absent.any())
        self._lag.fill(0.0)
        self._lag[contact] = lag
        self.place[contact[sought & ~waiting & ~absent]] -= self._step
        back = contact[absent]  # the body is led back to its path
        self.place[back] = np.minimum(self.place[back] + self._step, 0.0)
