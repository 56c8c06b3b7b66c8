"""Prove a report again: a report and its repository in, what holds, fails and rests on a word out."""
